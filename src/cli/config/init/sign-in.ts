import type { Credential, CredentialKind, Oidc } from '../../../config/document.ts'
import { findFieldProblem } from './check-answer.ts'
import type { InitFlags } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

/** A sign-in by the client: with the gateway itself, or with the identity provider that is named. */
export async function collectSignIn(interview: Interview, flags: InitFlags, kind: CredentialKind): Promise<Credential> {
  const { authFlow } = flags
  const signIn = {
    ...(kind === 'interactive' ? { kind } : { kind: 'external-idp' as const }),
    ...(authFlow && { authFlow }),
  }
  if (signIn.kind === 'interactive' && toOidc(flags) === undefined) return signIn
  const clientId = await ask(interview, flags, 'clientId', 'Client ID of the app registration')
  const hasUrls = flags.authorizationUrl !== undefined || flags.tokenUrl !== undefined
  const issuer = hasUrls ? flags.issuer : await ask(interview, flags, 'issuer', 'HTTPS issuer of the identity provider')
  const scopes =
    flags.bearerTokenType === 'access_token' ? await ask(interview, flags, 'scopes', 'Scopes') : flags.scopes
  return {
    ...signIn,
    oidc: { ...toOidc({ ...flags, clientId, ...(issuer && { issuer }), ...(scopes && { scopes }) }) },
  }
}

const flagNames = { clientId: '--client-id', issuer: '--issuer', scopes: '--scopes' } as const

function ask(interview: Interview, flags: InitFlags, name: keyof typeof flagNames, words: string): Promise<string> {
  const findProblem = (answer: string) =>
    findFieldProblem(
      interview.cli,
      { inference: { provider: 'gateway', credential: { kind: 'external-idp', oidc: { [name]: answer } } } },
      `inference.credential.oidc.${name}`,
    )
  return resolveAnswer(interview, { flag: flagNames[name], words, findProblem }, flags[name])
}

/** The identity provider that flags describe; `undefined` where none does. */
function toOidc({
  clientId,
  issuer,
  authorizationUrl,
  tokenUrl,
  bearerTokenType,
  scopes,
}: InitFlags): Oidc | undefined {
  const entries = Object.entries({ clientId, issuer, authorizationUrl, tokenUrl, bearerTokenType, scopes })
  const given = entries.filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
