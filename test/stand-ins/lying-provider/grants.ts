import { createHash, randomUUID } from 'node:crypto'
import { type IdTokenFacts, issueIdToken } from './id-token.ts'
import { type Endpoint, type IdTokenLies, type Lies, type Members, mergeMembers } from './lies.ts'
import type { SigningKeys } from './signing-keys.ts'

/** A grant that has yet to be fetched. */
interface Grant {
  readonly clientId: string
  readonly scope: string
  readonly nonce?: string | undefined
  readonly redirectUri?: string | undefined
  readonly challenge?: string | undefined
}

/** The grants of the provider. Codes and refresh tokens work once. */
export interface Grants {
  /** @returns the code. */
  grant(query: URLSearchParams): string
  /** @returns the answer of the device authorization endpoint. */
  grantDevice(form: URLSearchParams): Members
  /** The answer of the token endpoint. */
  issue(endpoint: Endpoint, form: URLSearchParams, lies: Lies): Promise<{ status: number; body: Members }>
}

export function createGrants(issuer: string, keys: SigningKeys): Grants {
  const waiting = new Map<string, Grant>()
  const keep = (value: Grant) => {
    const name = randomUUID()
    waiting.set(name, value)
    return name
  }
  const take = (endpoint: Endpoint, form: URLSearchParams): Grant | undefined => {
    const name = form.get(parameters[endpoint] ?? '') ?? ''
    const granted = waiting.get(name)
    waiting.delete(name)
    return granted && isRight(granted, form) ? granted : undefined
  }
  return {
    grant: (query) =>
      keep({
        clientId: query.get('client_id') ?? '',
        scope: query.get('scope') ?? '',
        nonce: query.get('nonce') ?? undefined,
        redirectUri: query.get('redirect_uri') ?? undefined,
        challenge: query.get('code_challenge') ?? undefined,
      }),
    grantDevice: (form) => ({
      device_code: keep({ clientId: form.get('client_id') ?? '', scope: form.get('scope') ?? '' }),
      user_code: 'WDJB-MJHT',
      verification_uri: `${issuer}/device`,
      verification_uri_complete: `${issuer}/device?user_code=WDJB-MJHT`,
      expires_in: 300,
      interval: 1,
    }),
    issue: async (endpoint, form, lies) => {
      const granted = take(endpoint, form)
      if (!granted) return { status: 400, body: { error: 'invalid_grant' } }
      const { nonce: _, ...lasting } = granted
      const accessToken = `canary-access-${randomUUID()}`
      const { clientId, nonce } = granted
      const nowSec = Math.floor(Date.now() / 1000) + (lies.clock?.aheadSec ?? 0)
      const facts = { issuer, clientId, accessToken, nowSec, nonce: endpoint === 'token' ? nonce : undefined }
      const honest = {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: 3600,
        ...(granted.scope.includes('openid') && (await issueHonestOrNot(endpoint, facts, { lies, keys }))),
        ...(granted.scope.includes('offline_access') && { refresh_token: keep(lasting) }),
      }
      return { status: 200, body: mergeMembers(honest, lies.members?.[endpoint]) }
    },
  }
}

/** Under which parameter of the form a grant comes back. */
const parameters: Partial<Record<Endpoint, string>> = { token: 'code', refresh: 'refresh_token', poll: 'device_code' }

/** Follows RFC 7636, section 4.6, and RFC 6749, section 4.1.3. */
function isRight({ clientId, redirectUri, challenge }: Grant, form: URLSearchParams): boolean {
  if (form.get('client_id') !== clientId) return false
  if (form.get('grant_type') !== 'authorization_code') return true
  const digest = createHash('sha256').update(form.get('code_verifier') ?? '')
  return digest.digest('base64url') === challenge && form.get('redirect_uri') === redirectUri
}

async function issueHonestOrNot(
  endpoint: Endpoint,
  facts: IdTokenFacts,
  { lies, keys }: { readonly lies: Lies; readonly keys: SigningKeys },
): Promise<Members> {
  const { idToken = {}, renewedIdToken = {} } = lies
  if (endpoint !== 'refresh') return { id_token: await issueIdToken(facts, idToken, keys) }
  if (renewedIdToken === 'none') return {}
  const both: IdTokenLies = {
    ...idToken,
    ...renewedIdToken,
    claims: { ...idToken.claims, ...renewedIdToken.claims },
  }
  return { id_token: await issueIdToken(facts, both, keys) }
}
