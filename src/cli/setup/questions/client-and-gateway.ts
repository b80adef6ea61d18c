// Folder: the questions of `gatepass setup`, one file for each part of the conversation.

import { toHelperError } from '../../../runtime/failure.ts'
import { isLoopback } from '../../../runtime/network/addresses.ts'
import { knownClients } from '../../../vendor/known-clients.ts'
import { isNeutral } from '../../../vendor.ts'
import { programName } from '../../../version.ts'
import { validateDestination } from '../../ask-to-run.ts'
import { validateField } from '../../config/init/collect-helper.ts'
import { baseUrlSummary, sharedWords } from '../../config/init/question.ts'
import { isNone } from '../answers.ts'
import { validateAuthority } from '../authority.ts'
import { findClientNames, namesInForce, normalizeClient } from '../client-names.ts'
import { examineGateway, type TriedAddress } from '../examine-addresses.ts'
import { none, type SetupQuestion, type SetupSituation, toFullPath } from '../setup-question.ts'

/** The client that people use, the network of the desktops, and the gateway. */
export const clientQuestions: readonly SetupQuestion[] = [
  {
    name: 'client',
    summary: `the client that people use: a known one (${programName} vendor list), or a vendor file`,
    words: 'Which client do people use, a known one or a vendor file',
    normalize: normalizeClient,
    told: () => knownClients.map(({ name, title }) => `${name}: ${title}`),
    fallback: () => (isNeutral ? { value: knownClients[0]!.name } : { value: namesInForce, words: 'the one in force' }),
    validate: validateClient,
  },
  {
    name: 'proxy',
    summary: 'the HTTP proxy of the desktops, or none',
    words: 'HTTP proxy of the desktops',
    told: () => ['A client that starts from a dock has no proxy variables: it is written into the machine’s file.'],
    fallback: () => none,
    names: [none.value],
    validate: validateProxy,
  },
  {
    name: 'base-url',
    summary: baseUrlSummary,
    words: sharedWords.baseUrl,
    validate: (baseUrl, { cli }) => {
      const problem = validateDestination(baseUrl)
      if (problem) return `it ${problem.message}; ${problem.hint}`
      return validateField(cli, { inference: { provider: 'gateway', baseUrl } }, 'inference.baseUrl')
    },
    warn: describeLoopback,
    examine: (baseUrl, { cli, answers }) => examineGateway(cli.host, answers, baseUrl),
  },
  {
    name: 'ca',
    summary: 'a PEM file on this machine with your own certificate authority, which desktops get; or none',
    words: 'PEM file on this machine with your own certificate authority, such as that of a proxy that opens TLS',
    // A proxy may intercept TLS; without one, and with trusted certificates, there is no sign of an authority.
    isAsked: ({ answers, isUntrusted }) => isUntrusted || !isNone(answers.proxy),
    fallback: () => none,
    names: [none.value],
    normalize: toFullPath,
    validate: (path, { cli }) => validateAuthority(path, cli.host.clock.now()),
    examine: examineAuthority,
  },
]

async function validateClient(client: string): Promise<string | undefined> {
  try {
    await findClientNames(client)
    return undefined
  } catch (thrown) {
    const { message, hint } = toHelperError(thrown)
    return `${message}; ${hint}`
  }
}

function validateProxy(text: string): string | undefined {
  const url = URL.parse(text)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return 'expected a URL such as http://proxy.example:3128'
  return url.username === '' && url.password === ''
    ? undefined
    : 'it has a user name or a password, which everybody could read in the machine’s file'
}

/** Tries the untrusted gateway again, because a wrong file would fail on every desktop. */
async function examineAuthority(ca: string, { cli, answers, isUntrusted }: SetupSituation): Promise<TriedAddress> {
  if (!isUntrusted || ca === none.value) return { lines: [] }
  const sight = await examineGateway(cli.host, answers, answers['base-url'] ?? '')
  return sight.trouble === 'certificate' ? { ...sight, trouble: 'wrong' } : sight
}

function describeLoopback(baseUrl: string): { readonly message: string; readonly hint: string } | undefined {
  const { hostname = '' } = URL.parse(baseUrl) ?? {}
  if (!isLoopback(hostname)) return undefined
  return {
    message: `--base-url names this machine (${hostname}): each desktop would ask itself, and reach no gateway`,
    hint: 'pass --base-url with the address of the gateway before anybody else gets the folder: this one is for a trial on this machine alone',
  }
}
