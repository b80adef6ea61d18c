import type { OidcSettings } from './oidc-settings.ts'

/** The requirements of a provider for a person's next sign-in, because the last one is too weak or too old (RFC 9470, section 3). */
export interface AuthenticationChallenge {
  readonly acrValues?: string | undefined
  /** In seconds. */
  readonly maxAge?: number | undefined
}

/** The error code of an answer with a challenge. */
export const challengeError = 'insufficient_user_authentication'

/**
 * Reads the challenge of an answer to a refresh token: from its members, or from the header that RFC 9470 defines for resource servers.
 * A value in another form than RFC 9470 and OpenID Connect define is left out.
 * @returns `undefined` if the answer is not a challenge.
 */
export function parseChallenge({
  members,
  headers,
}: {
  readonly members: Readonly<Record<string, unknown>>
  readonly headers: Headers
}): AuthenticationChallenge | undefined {
  const header = headers.get('www-authenticate') ?? ''
  const isInBody = members.error === challengeError
  if (!isInBody && findParameter(header, 'error') !== challengeError) return undefined
  const find = (name: string) => {
    const member = isInBody ? members[name] : undefined
    return typeof member === 'number' || typeof member === 'string' ? `${member}` : (findParameter(header, name) ?? '')
  }
  const [acrValues, maxAge] = [find('acr_values'), find('max_age')]
  return {
    ...(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(acrValues) && acrValues.length <= longestValues && { acrValues }),
    ...(/^\d{1,9}$/.test(maxAge) && { maxAge: Number(maxAge) }),
  }
}

/** In characters: the values become part of an address. */
const longestValues = 500

function findParameter(header: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`(?:^|[ ,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s",]+))`, 'i').exec(header) ?? []
  return quoted ?? bare
}

/** The settings of a sign-in that answers a challenge: they get its `acr_values`, and its `max_age` unless a shorter one is set. */
export function applyChallenge(settings: OidcSettings, challenge: AuthenticationChallenge | undefined): OidcSettings {
  const { acrValues, maxAge } = challenge ?? {}
  const own = Number(settings.parameters?.max_age ?? Number.POSITIVE_INFINITY)
  return {
    ...settings,
    parameters: {
      ...settings.parameters,
      ...(acrValues !== undefined && { acr_values: acrValues }),
      ...(maxAge !== undefined && !(own < maxAge) && { max_age: String(maxAge) }),
    },
  }
}
