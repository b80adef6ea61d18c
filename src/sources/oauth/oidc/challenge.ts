import type { OidcSettings } from './oidc-settings.ts'

/** The requirements of a provider for a person's next sign-in, because the last one is too weak or too old (RFC 9470, section 3). */
export interface AuthenticationChallenge {
  readonly acrValues?: string | undefined
  /** The longest time since the person's authentication, in seconds. */
  readonly maxAge?: number | undefined
}

/** The error code of an answer with a challenge. */
export const challengeError = 'insufficient_user_authentication'

/**
 * Parses the challenge in an answer to a refresh token: from its members, or from the header that RFC 9470 defines for resource servers. A
 * value in another form than that of RFC 9470 and OpenID Connect is left out.
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
  const selectMember = (name: string) => {
    const member = isInBody ? members[name] : undefined
    return typeof member === 'number' || typeof member === 'string' ? `${member}` : (findParameter(header, name) ?? '')
  }
  const [acrValues, maxAge] = [selectMember('acr_values'), selectMember('max_age')]
  return {
    ...(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/.test(acrValues) && acrValues.length <= longestValues && { acrValues }),
    ...(/^\d{1,9}$/.test(maxAge) && { maxAge: Number(maxAge) }),
  }
}

/** In characters: the longest values, which become part of an address. Our decision. */
const longestValues = 500

function findParameter(header: string, name: string): string | undefined {
  const [, quoted, bare] = new RegExp(`(?:^|[ ,])${name}\\s*=\\s*(?:"([^"]*)"|([^\\s",]+))`, 'i').exec(header) ?? []
  return quoted ?? bare
}

/** Returns the settings of a sign-in that meets a challenge, with its `acr_values`, and with its `max_age` unless a shorter one is set. */
export function applyChallenge(settings: OidcSettings, challenge: AuthenticationChallenge | undefined): OidcSettings {
  const { acrValues, maxAge } = challenge ?? {}
  const setMaxAge = Number(settings.parameters?.max_age ?? Number.POSITIVE_INFINITY)
  return {
    ...settings,
    parameters: {
      ...settings.parameters,
      ...(acrValues !== undefined && { acr_values: acrValues }),
      ...(maxAge !== undefined && !(setMaxAge < maxAge) && { max_age: String(maxAge) }),
    },
  }
}
