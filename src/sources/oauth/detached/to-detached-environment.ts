import type { Environment } from '../../../runtime/environment.ts'
import { vendor } from '../../../vendor.ts'
import { isNeededByBrowser } from '../browser/to-browser-environment.ts'

/** The steps of a process that signs in: the first starts the second and ends, so that the second is nobody's child. */
export type DetachedStep = 'start' | 'hold'

const stepVariable = 'GATEPASS_SIGN_IN_STEP'

/** Which step this process is; `undefined` for a person's own command. */
export function detectStep(env: Environment): DetachedStep | undefined {
  const step = env[stepVariable]
  return step === 'start' || step === 'hold' ? step : undefined
}

/** When a run found the stored sign-in refused, so that only a later one counts, in milliseconds since the epoch. */
const afterVariable = 'GATEPASS_SIGN_IN_AFTER'

/** See {@link afterVariable}; `undefined` where any sign-in counts. */
export function parseAfter(env: Environment): number | undefined {
  const after = Number(env[afterVariable])
  return after > 0 ? after : undefined
}

/**
 * The environment of the process that signs in. Keys and whatever else the client has in its environment stay behind, because
 * the process outlives the client.
 */
export function toDetachedEnvironment(env: Environment, step: DetachedStep, after = parseAfter(env)): Environment {
  const kept = Object.entries(env).filter(([name]) => isNeededByBrowser(name) || isSetting(name.toUpperCase()))
  return {
    ...Object.fromEntries(kept),
    [vendor.contextVariable]: 'interactive',
    [stepVariable]: step,
    [afterVariable]: after === undefined ? undefined : String(after),
  }
}

/**
 * Whether an option of ours or a setting of AWS is needed: not keys and tokens, since whoever is signed in by a person needs none,
 * and those of another helper are not this one's.
 */
function isSetting(name: string): boolean {
  if (namesOnly.has(name)) return true
  return (
    /^(GATEPASS|AWS)_/.test(name) && (!/^GATEPASS_.*KEY|SECRET|TOKEN|PASSWORD/.test(name) || name.endsWith('_FILE'))
  )
}

/** Options that say which secret to read, which token to ask for, where, and where to keep it, and hold none. */
const namesOnly: ReadonlySet<string> = new Set([
  ...['GATEPASS_SECRET', 'GATEPASS_JSON_KEY'],
  ...['GATEPASS_TOKEN_URL', 'GATEPASS_BEARER_TOKEN_TYPE', 'GATEPASS_REFRESH_TOKEN_STORE'],
  ...['GATEPASS_EXCHANGE_REQUESTED_TOKEN_TYPE', 'GATEPASS_EXCHANGE_SECRET_VARIABLE'],
])
