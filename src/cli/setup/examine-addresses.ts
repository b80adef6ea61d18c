// Tries the addresses among a person's answers, and describes the findings.

import { toOidcSettings } from '../../client/credentials/sign-in-settings.ts'
import { explainNoAnswer } from '../../client/doctor/examine-credential.ts'
import { findLocation } from '../../client/doctor/explain-status.ts'
import { toMessagesUrl } from '../../client/session/send-turn.ts'
import { toVariable } from '../../helper/options/option-value.ts'
import { findErrorCode, type HelperError, toHelperError, toOneLine } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { isCertificateCode } from '../../runtime/network/network-failure.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import { renderUrl } from '../ask-to-run.ts'
import { describeMetadata, fetchMetadata } from '../doctor/examine-sign-in.ts'
import { readNetwork } from '../network.ts'
import { isNone, type SetupAnswers } from './answers.ts'

/** The result of trying an address. */
export interface TriedAddress {
  readonly lines: readonly string[]
  /** `wrong`: a client would be refused with this answer; `unreached`: unknown, for example without a network. */
  readonly trouble?: 'wrong' | 'unreached' | 'certificate'
}

/** Examines how a gateway answers a request without a token. */
export async function examineGateway(host: Host, answers: SetupAnswers, baseUrl: string): Promise<TriedAddress> {
  const shown = renderUrl(baseUrl)
  try {
    const network = await readNetwork(withNetwork(host, answers))
    const url = toMessagesUrl(baseUrl)
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const answer = await createStreamFetch({ network, silenceSec })(url, init)
    await answer.body?.cancel()
    const location = findLocation(answer.headers, url)
    return describeGateway(shown, answer.status, { challenge: answer.headers.get('www-authenticate'), location })
  } catch (thrown) {
    return withAnswerNames(describeTrouble(shown, thrown, baseUrl), answers)
  }
}

/** How long an address may be silent while a person waits for the next question, in seconds. */
const silenceSec = 15

interface TokenlessAnswer {
  readonly challenge: string | null
  readonly location: string | undefined
}

/** Describes a gateway by its answer to a request without a token; pure. */
function describeGateway(shown: string, status: number, { challenge, location }: TokenlessAnswer): TriedAddress {
  const first = `${shown} answers ${status} to a request without a token`
  const asks = challenge === null ? [] : [`WWW-Authenticate: ${toOneLine(challenge).slice(0, 200)}`]
  if (location !== undefined)
    return {
      lines: [`${first}, with a redirect to ${renderUrl(location)}`, 'no client follows it: name the last address'],
      trouble: 'wrong',
    }
  if (status < 300)
    return { lines: [`${first}: it lets anybody pass`, 'have it require a token before anybody uses it'] }
  if (status === 401) return { lines: [`${first}, as it should`, ...asks] }
  if (status === 404)
    return { lines: [`${first}: there is no /v1/messages below this address`, 'correct its path'], trouble: 'wrong' }
  return { lines: [`${first}; a gateway that asks for one answers 401`, ...asks] }
}

function describeTrouble(shown: string, thrown: unknown, baseUrl: string): TriedAddress {
  const error = toHelperError(thrown)
  const { cause, hint } = explainNoAnswer({ reason: 'unreachable', error }, baseUrl)
  const lines = [toOneLine(`${shown} was tried: ${cause}`), ...(hint === undefined ? [] : [toOneLine(hint)])]
  return { lines, trouble: isAboutCertificate(error) ? 'certificate' : 'unreached' }
}

/** Replaces variables by options, because people know the answers of a trial as options. */
function withAnswerNames({ lines, ...sight }: TriedAddress, answers: SetupAnswers): TriedAddress {
  const given = (['proxy', 'ca'] as const).filter((name) => !isNone(answers[name]))
  const rename = (line: string) =>
    given.reduce((renamed, name) => renamed.replaceAll(`variable ${toVariable(name)}`, `--${name}`), line)
  return { ...sight, lines: lines.map(rename) }
}

function isAboutCertificate({ cause }: HelperError): boolean {
  return isCertificateCode(findErrorCode(cause) ?? '')
}

/** Examines an issuer by its discovery document. */
export async function examineIssuer(host: Host, answers: SetupAnswers, issuer: string): Promise<TriedAddress> {
  const shown = renderUrl(issuer)
  try {
    const settings = toOidcSettings({ clientId: answers['client-id'] ?? 'setup', issuer })! // an issuer and a client are sufficient
    const metadata = await fetchMetadata(withNetwork(host, answers), settings)
    const { outcome, lines, hint } = describeMetadata(metadata, settings)
    const others = lines.filter(
      (line) => !/^(issuer|asks for|redirect|sign-in page|token endpoint|revocation)/.test(line),
    )
    const shownLines = [`${shown} has a discovery document`, ...others, ...(hint === undefined ? [] : [hint])]
    return { lines: shownLines.map(toOneLine), ...(outcome === 'bad' && { trouble: 'wrong' }) }
  } catch (thrown) {
    const error = toHelperError(thrown)
    const lines = [error.message, error.hint].map(toOneLine)
    const isOutOfReach = error.kind === 'unavailable' || error.kind === 'late'
    const trouble = isAboutCertificate(error) ? 'certificate' : isOutOfReach ? 'unreached' : 'wrong'
    return withAnswerNames({ lines, trouble }, answers)
  }
}

/** This machine with the proxy and the certificate authority of the desktops. */
export function withNetwork(host: Host, { proxy, ca }: SetupAnswers): Host {
  const named = {
    ...(!isNone(proxy) && { [toVariable('proxy')]: proxy }),
    ...(!isNone(ca) && { [toVariable('ca')]: ca }),
  }
  return { ...host, env: { ...host.env, ...named } }
}
