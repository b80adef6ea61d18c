import { examineCredential } from '../../../client/doctor/examine-credential.ts'
import { skipParts } from '../../../client/doctor/skip-parts.ts'
import type { Part } from '../../../client/examination.ts'
import { findSignIn, type SignInCredential } from '../../../client/sign-in/find-sign-in.ts'
import type { GatewayInference } from '../../../client/turn/gateway-inference.ts'
import type { OidcSettings } from '../../../sources/oauth/oidc/settings.ts'
import type { Cli } from '../../cli.ts'
import { createCommandSignIn } from '../../open-sign-in.ts'
import { openTurn } from '../../open-turn.ts'
import { addClaims } from './claims.ts'
import { describeSignIn } from './describe-sign-in.ts'
import { examineProvider } from './provider.ts'

/** Whether somebody has agreed that a browser opens. */
export type SignInConsent = 'agreed' | 'nobody asked'

/** The sign-in of a document: its provider, then with consent one sign-in of a person, its token and one turn with that. */
export async function examineSignIn(
  cli: Cli,
  inference: GatewayInference,
  credential: SignInCredential,
  consent: SignInConsent,
): Promise<Part[]> {
  const found = findSignIn(credential)
  if ('failure' in found) {
    const { message, hint } = found
    return [{ part: 'provider', outcome: 'bad', lines: [message], hint }, ...skipParts('sign-in', 'token', 'gateway')]
  }
  const provider = await examineProvider(cli.host, found)
  if (provider.outcome === 'bad') return [provider, ...skipParts('sign-in', 'token', 'gateway')]
  return [provider, ...(consent === 'agreed' ? await examinePerson(cli, inference, found) : leftOut)]
}

const leftOut: readonly Part[] = [
  {
    part: 'sign-in',
    outcome: 'not examined',
    lines: ['left out: standard input is no terminal, and without --yes no browser opens'],
    hint: 'pass --yes, and sign in in the browser that opens',
  },
  { part: 'token', outcome: 'not examined', lines: ['left out: nobody has signed in'] },
  { part: 'gateway', outcome: 'not examined', lines: ['left out: nobody has signed in'] },
]

async function examinePerson(cli: Cli, inference: GatewayInference, settings: OidcSettings): Promise<Part[]> {
  const signIn = (await createCommandSignIn(cli.host))(settings)
  const first = await signIn.signIn()
  if (!first.ok) return [describeSignIn(first, undefined), ...skipParts('token', 'gateway')]
  const renewal = first.isRenewable ? await signIn.renew() : undefined
  const { token } = renewal?.ok ? renewal : first
  const parts = await examineCredential(inference, { token, headers: {} }, 0, await openTurn(cli))
  return [describeSignIn(first, renewal), ...addClaims(parts, token, settings)]
}
