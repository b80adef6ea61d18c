import type { ConfigDocument, Credential, Oidc, StaticCredential } from '../../../config/document.ts'
import { type CredentialKind, credentialKinds } from '../../../config/field.ts'
import { isCredentialWord } from '../../../contract/headers.ts'
import { bearerTokenTypes } from '../../../contract/oauth-names.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { describeReadFailure, readNamedFile } from '../../../runtime/named-file.ts'
import type { Cli } from '../../cli.ts'
import { collectHelper, validateField } from './collect-helper.ts'
import { findKindOfFlags, type InitFlags, oidcFlags, refuseFlagsOfOtherKinds } from './flags.ts'
import { askProviderSettings, tellRegistration } from './provider-settings.ts'
import { type Interview, type Question, resolveAnswer, sharedWords } from './question.ts'

/**
 * Creates the document from flags, and asks a person for the rest.
 * @throws {HelperError} `usage` for missing values if no person can answer, and for flags of another kind.
 */
export async function collectAnswers(cli: Cli, flags: InitFlags): Promise<ConfigDocument> {
  using conversation = cli.terminal.startConversation()
  const interview = { command: 'config init', cli, conversation }
  const kind = await askKind(interview, flags)
  refuseFlagsOfOtherKinds(flags, kind, cli.helpers.get(flags.helper ?? '')?.options)
  const baseUrl = await askBaseUrl(interview, flags.baseUrl)
  const credential = await collectors[kind](interview, flags, kind, baseUrl)
  return { inference: { provider: 'gateway', baseUrl, credential } }
}

type CollectCredential = (
  interview: Interview,
  flags: InitFlags,
  kind: CredentialKind,
  baseUrl: string,
) => Promise<Credential>

/** More than the length of any key. */
const maxKeyBytes = 16 * 1024

const collectors: Readonly<Record<CredentialKind, CollectCredential>> = {
  static: collectStaticKey,
  interactive: collectSignIn,
  'external-idp': collectSignIn,
  'helper-script': collectHelper,
}

/** Collects an API key from a file, because other people could see it on a command line or a screen. */
async function collectStaticKey(interview: Interview, flags: InitFlags): Promise<StaticCredential> {
  const { apiKeyFile, authScheme } = flags
  const path = await resolveAnswer(
    interview,
    { flag: '--api-key-file', words: sharedWords.apiKeyFile, validate: validateKeyFile },
    apiKeyFile,
  )
  const apiKey = await readKey(path)
  if (!('key' in apiKey)) throw new HelperError('usage', apiKey.problem, 'name a file that holds the key alone')
  return { kind: 'static', apiKey: apiKey.key, ...(authScheme && { authScheme }) }
}

async function validateKeyFile(path: string): Promise<string | undefined> {
  const found = await readKey(path)
  return 'key' in found ? undefined : found.problem
}

async function readKey(path: string): Promise<{ key: string } | { problem: string }> {
  try {
    const key = (await readNamedFile(path, { longestBytes: maxKeyBytes })).toString('utf8').trim()
    return isCredentialWord(key) ? { key } : { problem: `${path} does not hold one key alone` }
  } catch (cause) {
    const failure = cause as NodeJS.ErrnoException // a system error
    const isOther = ['EFBIG', 'EISDIR', 'ENOTFILE'].includes(failure.code ?? '')
    return { problem: `${path} ${isOther ? 'is not a file with an API key' : describeReadFailure(failure)}` }
  }
}

/** Collects a sign-in by the client: with the named identity provider, or for `interactive` with the gateway itself. */
async function collectSignIn(interview: Interview, flags: InitFlags, kind: CredentialKind): Promise<Credential> {
  const { authFlow } = flags
  const signIn = {
    ...(kind === 'interactive' ? { kind } : { kind: 'external-idp' as const }),
    ...(authFlow && { authFlow }),
  }
  const isNeeded = signIn.kind === 'external-idp' || oidcFlags.some((name) => flags[name] !== undefined)
  const clientId = await askClientId(interview, flags.clientId, isNeeded ? 'needed' : 'optional')
  if (clientId === '') return signIn
  const oidc = { clientId, ...(await collectProvider(interview, flags)) }
  tellRegistration(interview, oidc)
  return { ...signIn, oidc }
}

function askClientId(interview: Interview, given: string | undefined, need: 'needed' | 'optional'): Promise<string> {
  const fallback = { value: '', words: 'none: people sign in at the gateway itself' }
  const question = {
    flag: '--client-id',
    words: 'Client ID of the app registration',
    ...(need === 'optional' && { fallback }),
  }
  return askField(interview, 'clientId', question, given)
}

/** Asks for one field, and again if the check refuses the answer. */
function askField(
  interview: Interview,
  name: keyof Oidc,
  question: Omit<Question, 'validate'>,
  given: string | undefined,
): Promise<string> {
  const validate = (answer: string) =>
    validateField(
      interview.cli,
      // Findings about other fields are ignored.
      { inference: { provider: 'gateway', credential: { kind: 'external-idp', oidc: { [name]: answer } } } },
      `inference.credential.oidc.${name}`,
    )
  return resolveAnswer(interview, { ...question, validate }, given)
}

async function collectProvider(interview: Interview, flags: InitFlags): Promise<Oidc> {
  const { authorizationUrl, tokenUrl, resource, additionalRedirectReferrerHosts } = flags
  const hasUrls = authorizationUrl !== undefined || tokenUrl !== undefined
  const issuer = hasUrls ? flags.issuer : await askIssuer(interview, flags.issuer)
  const bearerTokenType = await askTokenType(interview, flags.bearerTokenType)
  const scopes = await askScopes(interview, flags.scopes, bearerTokenType)
  const all = {
    issuer,
    authorizationUrl,
    tokenUrl,
    bearerTokenType,
    scopes: scopes || undefined,
    ...(await askProviderSettings(interview, flags, { issuer, authorizationUrl, tokenUrl })),
    resource,
    additionalRedirectReferrerHosts,
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

function askIssuer(interview: Interview, given: string | undefined): Promise<string> {
  return askField(interview, 'issuer', { flag: '--issuer', words: 'HTTPS issuer of the identity provider' }, given)
}

async function askTokenType(interview: Interview, given: Oidc['bearerTokenType']): Promise<Oidc['bearerTokenType']> {
  const answer = await askField(
    interview,
    'bearerTokenType',
    {
      flag: '--bearer-token-type',
      words: 'Which token does the gateway check (id_token; access_token for an OAuth resource server)',
      fallback: { value: '', words: bearerTokenTypes[0] },
    },
    given,
  )
  return bearerTokenTypes.find((type) => type === answer)
}

function askScopes(interview: Interview, given: string | undefined, type: Oidc['bearerTokenType']): Promise<string> {
  const question =
    type === 'access_token'
      ? { words: "Scopes, the gateway's API scope among them" }
      : { words: 'Scopes besides openid', fallback: { value: '', words: 'none' } }
  return askField(interview, 'scopes', { flag: '--scopes', ...question }, given)
}

async function askKind(interview: Interview, flags: InitFlags): Promise<CredentialKind> {
  const isKind = (answer: string) => credentialKinds.some((kind) => kind === answer)
  const answer = await resolveAnswer(
    interview,
    {
      flag: '--kind',
      words: `Which kind of credential (${credentialKinds.join(', ')})`,
      fallback: { value: 'helper-script', words: 'helper-script' },
      validate: (text) => (isKind(text) ? undefined : `there is no kind ${JSON.stringify(text)}`),
    },
    flags.kind ?? findKindOfFlags(flags),
  )
  return answer as CredentialKind // one of the kinds, by the question and by the flag's choices
}

/** Asks for the full URL of the gateway, which must pass the check of documents. */
export function askBaseUrl(interview: Interview, given: string | undefined): Promise<string> {
  return resolveAnswer(
    interview,
    {
      flag: '--base-url',
      words: sharedWords.baseUrl,
      validate: (baseUrl) =>
        validateField(interview.cli, { inference: { provider: 'gateway', baseUrl } }, 'inference.baseUrl'),
    },
    given,
  )
}
