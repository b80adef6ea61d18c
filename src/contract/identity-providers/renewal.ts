import { bearerTokenNames } from '../oauth-names.ts'
import { detectProviderFamily } from './detect-family.ts'
import { type FindProblem, hasOfflineScope, type ProviderSettings } from './provider-settings.ts'

/** Finds settings without a renewal, so that a person must sign in at each expiry. */
export const validateRenewal: FindProblem = (settings, name) => {
  const { offlineAccess } = detectProviderFamily(settings)
  const isInScopes = hasOfflineScope(settings)
  if (settings.keepsRefreshToken === false)
    return (findLife(settings)?.shortest ?? 0) >= workingDayMin
      ? undefined
      : {
          setting: 'keepsRefreshToken',
          code: 'refresh-token-not-kept',
          message: `no refresh token is kept, so people sign in again whenever a token expires: ${describeSignIns(settings)}`,
          hint: `set ${name('keepsRefreshToken')} to file, or to keychain where every person has one`,
        }
  if (settings.appendOfflineAccess !== false || isInScopes || offlineAccess !== 'scope') return undefined
  return {
    setting: 'appendOfflineAccess',
    code: 'offline-access-off',
    message: `without offline_access there may be no refresh token, and people sign in again whenever a token expires: ${describeSignIns(settings)}`,
    hint: `remove ${name('appendOfflineAccess')}, or add offline_access to the scopes`,
  }
}

const workingDayMin = 8 * 60

/** Describes how often people sign in on a working day without a renewal, and how this is known. */
export function describeSignIns(settings: ProviderSettings): string {
  const { shortest, longest, why } = findLife(settings) ?? usualLife
  const [least, most] = [longest, shortest].map((min) => Math.ceil(workingDayMin / min))
  const times = most === 1 ? 'once' : least === most ? `${most} times` : `${least} to ${most} times`
  return `${times} in a working day of 8 hours, ${why}`
}

/** The life of the token for the gateway, in minutes. */
interface KnownLife {
  readonly shortest: number
  readonly longest: number
  /** Continues the sentence about the number of sign-ins. */
  readonly why: string
}

const usualLife: KnownLife = { shortest: 60, longest: 60, why: 'if it lives an hour, as is usual' }

/** Finds the life that this machine has seen, else the provider's default; `undefined` if both are unknown. */
function findLife(settings: ProviderSettings): KnownLife | undefined {
  const { tokenLifeSec, isExchanged, bearerTokenType } = settings
  if (tokenLifeSec !== undefined) {
    const minutes = Math.max(1, Math.round(tokenLifeSec / 60))
    return { shortest: minutes, longest: minutes, why: `because the last token on this machine lived ${minutes} min` }
  }
  const { title, tokenLifeMin } = detectProviderFamily(settings)
  const type = bearerTokenType === 'access_token' ? 'access_token' : 'id_token'
  const life = isExchanged ? undefined : tokenLifeMin?.[type]
  if (life === undefined) return undefined
  const [shortest, longest] = life
  const shown = shortest === longest ? `${shortest} min` : `${shortest} to ${longest} min`
  return {
    shortest,
    longest,
    why: `because ${bearerTokenNames[type]}s of ${title} live ${shown} unless that is changed`,
  }
}
