import type { Credential, CredentialKind, Oidc } from '../../../config/document.ts'
import { findFieldProblem } from './check-answer.ts'
import { type InitFlags, oidcFlags } from './flags.ts'
import { askProviderSettings, tellRegistration } from './provider-settings.ts'
import { type Interview, type Question, resolveAnswer } from './question.ts'

/** A sign-in by the client: with the identity provider that is named, or for `interactive` with the gateway itself. */
export async function collectSignIn(interview: Interview, flags: InitFlags, kind: CredentialKind): Promise<Credential> {
  const { authFlow } = flags
  const signIn = {
    ...(kind === 'interactive' ? { kind } : { kind: 'external-idp' as const }),
    ...(authFlow && { authFlow }),
  }
  const isNeeded = signIn.kind === 'external-idp' || oidcFlags.some((name) => flags[name] !== undefined)
  const clientId = await askClientId(interview, flags.clientId, isNeeded)
  if (clientId === '') return signIn
  const oidc = { clientId, ...(await collectProvider(interview, flags)) }
  tellRegistration(interview, oidc)
  return { ...signIn, oidc }
}

function askClientId(interview: Interview, given: string | undefined, isNeeded: boolean): Promise<string> {
  const fallback = { value: '', words: 'none: people sign in at the gateway itself' }
  const question = { flag: '--client-id', words: 'Client ID of the app registration', ...(!isNeeded && { fallback }) }
  return askField(interview, 'clientId', question, given)
}

async function collectProvider(interview: Interview, flags: InitFlags): Promise<Oidc> {
  const { authorizationUrl, tokenUrl, resource, additionalRedirectReferrerHosts } = flags
  const hasUrls = authorizationUrl !== undefined || tokenUrl !== undefined
  const issuer = hasUrls ? flags.issuer : await askIssuer(interview, flags.issuer)
  const bearerTokenType = await askTokenType(interview, flags.bearerTokenType)
  const scopes = await askScopes(interview, flags.scopes, bearerTokenType)
  const all = {
    ...{ issuer, authorizationUrl, tokenUrl, bearerTokenType, scopes: scopes || undefined },
    ...(await askProviderSettings(interview, flags, { issuer, authorizationUrl, tokenUrl })),
    ...{ resource, additionalRedirectReferrerHosts },
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
      fallback: { value: '', words: 'id_token' },
    },
    given,
  )
  return tokenTypes.find((type) => type === answer)
}

const tokenTypes = ['id_token', 'access_token'] as const

function askScopes(interview: Interview, given: string | undefined, type: Oidc['bearerTokenType']): Promise<string> {
  const question =
    type === 'access_token'
      ? { words: "Scopes, the gateway's API scope among them" }
      : { words: 'Scopes besides openid', fallback: { value: '', words: 'none' } }
  return askField(interview, 'scopes', { flag: '--scopes', ...question }, given)
}

/** Asks for one field, and again where the check refuses the answer. */
function askField(
  interview: Interview,
  name: keyof Oidc,
  question: Omit<Question, 'findProblem'>,
  given: string | undefined,
): Promise<string> {
  const findProblem = (answer: string) =>
    findFieldProblem(
      interview.cli,
      // The other fields do not count.
      { inference: { provider: 'gateway', credential: { kind: 'external-idp', oidc: { [name]: answer } } } },
      `inference.credential.oidc.${name}`,
    )
  return resolveAnswer(interview, { ...question, findProblem }, given)
}
