// Answers the browser of a person who confirms a device; `device-pages.ts` renders the pages.

import type { IncomingMessage } from 'node:http'
import type { Verdict } from '../../verify/verdict.ts'
import { type DeviceAnswerParts, toDeviceTokens } from './answer-client.ts'
import { createSecretText, type DeviceSignIn, deviceLimits } from './device-grants.ts'
import { type DeviceAnswer, parseQuery, strangerPage, toPage } from './device-http.ts'
import { pageHeaders, renderConfirmPage, renderEndPage, renderEntryPage, renderLeavePage } from './device-pages.ts'
import { ProviderFailure } from './organization-provider.ts'

/** Answers a person who has entered a code: the page leads to the provider. */
export async function answerCode(parts: DeviceAnswerParts, form: URLSearchParams): Promise<DeviceAnswer> {
  const { addresses, grants, provider } = parts
  const code = form.get('user_code') ?? ''
  const grant = grants.enter(code)
  if (grant === 'too-many') {
    const problem = 'Too many wrong codes were entered. Wait a minute, and try again.'
    return toPage(429, renderEntryPage(addresses.page, '', problem))
  }
  if (grant === 'unknown') {
    const problem = `No app waits with this code. Compare it, or start again in the app: a code is good for ${deviceLimits.grantSec / 60} minutes.`
    return toPage(400, renderEntryPage(addresses.page, '', problem))
  }
  const { signIn, session } = grants.createSignIn(grant)
  try {
    const address = await provider.createAuthorizationUrl(signIn)
    return {
      ...toPage(200, renderLeavePage(address, grant.userCode)),
      headers: { ...pageHeaders, 'set-cookie': toCookie(session) },
    }
  } catch (error) {
    return endFailedSignIn(parts, signIn, error)
  }
}

/** The cookie binds a sign-in to one browser, so that an attacker cannot let another person finish it. */
function toCookie(session: string): string {
  return `${cookieName}=${session}; Path=/; Max-Age=${deviceLimits.grantSec}; Secure; HttpOnly; SameSite=Lax`
}

const cookieName = '__Host-gatepass-device'

/** Answers a person who returns from the provider. The code is redeemed once, and the person is asked for confirmation. */
export async function answerCallback(parts: DeviceAnswerParts, request: IncomingMessage): Promise<DeviceAnswer> {
  const { grants } = parts
  const query = parseQuery(request)
  const signIn = grants.findSignIn(query.get('state'), findSession(request))
  if (signIn?.stage !== 'started') return toPage(400, strangerPage)
  signIn.stage = 'redeeming'
  try {
    return await answerWithForm(parts, signIn, query)
  } catch (error) {
    return endFailedSignIn(parts, signIn, error)
  }
}

function findSession({ headers }: IncomingMessage): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1)
}

/** Redeems the code, and answers with the page on which the person confirms. @throws {ProviderFailure} without tokens. */
async function answerWithForm(
  parts: DeviceAnswerParts,
  signIn: DeviceSignIn,
  query: URLSearchParams,
): Promise<DeviceAnswer> {
  const { addresses, provider, verifier } = parts
  const issued = await provider.redeem(query, signIn)
  const verdict = await verifier.verify(issued.token)
  const tokens = toDeviceTokens(issued, verdict)
  if (!tokens || verdict.outcome === 'refused') return answerRefusedOwner(parts, signIn, verdict)
  const formToken = createSecretText()
  signIn.stage = { formToken, tokens, identity: verdict.identity }
  const { state, grant } = signIn
  const { host } = new URL(addresses.origin)
  const facts = {
    action: addresses.confirmation,
    state,
    formToken,
    userCode: grant.userCode,
    account: issued.account,
    host,
  }
  return toPage(200, renderConfirmPage(facts))
}

/** Answers a person whom the provider knows, but whose token the server refuses. */
function answerRefusedOwner({ log, observe }: DeviceAnswerParts, signIn: DeviceSignIn, verdict: Verdict): DeviceAnswer {
  signIn.stage = 'finished'
  signIn.grant.outcome = 'denied'
  const reason = verdict.outcome === 'refused' ? verdict.refusal.reason : 'defect'
  log.tellBounded({ level: 'warning', event: 'device', message: 'a device was refused', facts: { reason } })
  observe({ outcome: 'refused', grant: signIn.grant.id, reason })
  return toPage(
    403,
    renderEndPage(
      'You cannot get a configuration here',
      `You are signed in, but this server does not accept your token (${reason}).`,
      'Ask your administrator.',
    ),
  )
}

function endFailedSignIn({ log, observe }: DeviceAnswerParts, signIn: DeviceSignIn, error: unknown): DeviceAnswer {
  signIn.stage = 'finished'
  if (!(error instanceof ProviderFailure)) throw error
  const facts = { reason: error.reason, note: error.note }
  log.tellBounded({ level: 'warning', event: 'device', message: 'a person could not be signed in', facts })
  observe({ outcome: 'refused', grant: signIn.grant.id, reason: `provider-${error.reason}` })
  if (error.reason === 'denied') signIn.grant.outcome = 'denied'
  const sentence = {
    denied: 'You or your organization denied the sign-in.',
    refused: 'The answer of your organization’s sign-in could not be used.',
    unavailable: 'Your organization’s sign-in cannot be reached now.',
  }[error.reason]
  return toPage(
    error.reason === 'unavailable' ? 503 : 400,
    renderEndPage('You are not signed in', sentence, 'Start again in the app.'),
  )
}

/** Answers a person who has pressed a button. */
export function answerConfirmation(
  { grants, log, observe }: DeviceAnswerParts,
  request: IncomingMessage,
  form: URLSearchParams,
): DeviceAnswer {
  const signIn = grants.findSignIn(form.get('state'), findSession(request))
  const stage = signIn?.stage
  if (!signIn || typeof stage !== 'object' || form.get('form_token') !== stage.formToken)
    return toPage(400, strangerPage)
  signIn.stage = 'finished'
  const isAllowed = form.get('choice') === 'allow'
  signIn.grant.outcome = isAllowed ? stage.tokens : 'denied'
  log.tellBounded({
    level: 'info',
    event: 'device',
    message: isAllowed ? 'a device was allowed' : 'a device was denied',
  })
  const facts = { grant: signIn.grant.id, identity: stage.identity }
  observe(isAllowed ? { outcome: 'confirmed', ...facts } : { outcome: 'refused', reason: 'person', ...facts })
  return toPage(
    200,
    isAllowed
      ? renderEndPage('The app is connected', 'It continues by itself in a few seconds. You can close this page.')
      : renderEndPage('The app was denied', 'It gets nothing. You can close this page.'),
  )
}
