// Makes and reads the environment of the processes that sign in and renew.

import type { Environment } from '../../../runtime/run-process.ts'
import { vendor } from '../../../vendor.ts'
import { isNeededByBrowser } from '../to-browser-environment.ts'

/**
 * The steps of a detached sign-in. The first process starts the second and ends, so that no process of the run is the second one's parent.
 */
export type DetachedStep = 'start' | 'hold'

const stepVariable = 'GATEPASS_SIGN_IN_STEP'

/** Detects the step that this process runs; `undefined` for a person's own command. */
export function detectStep(env: Environment): DetachedStep | undefined {
  const step = env[stepVariable]
  return step === 'start' || step === 'hold' ? step : undefined
}

/** The time at which a run found the stored sign-in refused, in milliseconds since the epoch. Only a later sign-in counts. */
const afterVariable = 'GATEPASS_SIGN_IN_AFTER'

/** Parses the {@link afterVariable}; `undefined` if any sign-in counts. */
export function parseAfter(env: Environment): number | undefined {
  const after = Number(env[afterVariable])
  return after > 0 ? after : undefined
}

/**
 * Creates the environment of the process that signs in. Keys and other variables of the client are left out, because the process outlives
 * the client.
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

/** The issue time of the tokens that a run found too old, in milliseconds since the epoch. Any other tokens count as new. */
const issuedVariable = 'GATEPASS_RENEWAL_ISSUED'

/** Parses the {@link issuedVariable}; `undefined` in every other run. */
export function parseIssued(env: Environment): number | undefined {
  const issued = env[issuedVariable]
  return issued === undefined ? undefined : Number(issued)
}

/** The caller for whom a sign-in is renewed, as `digestCaller` returns it. */
const callerVariable = 'GATEPASS_RENEWAL_CALLER'

/** Finds the caller in the {@link callerVariable}; `undefined` in every other run. */
export function findRenewalCaller(env: Environment): string | undefined {
  return env[callerVariable]
}

/**
 * Creates the environment of the process that renews a sign-in: as {@link toDetachedEnvironment}, in a silent context. A check of helpers
 * that kills its runs and their children does not find this process, and neither does a client.
 */
export function toRenewalEnvironment(
  env: Environment,
  { issued, caller }: { readonly issued: number; readonly caller: string },
): Environment {
  const { HELPER_CHECK_RUN: _, ...kept } = toDetachedEnvironment(env, 'hold')
  return {
    ...kept,
    // A run refuses this variable, so this process has to see it too.
    NODE_TLS_REJECT_UNAUTHORIZED: env.NODE_TLS_REJECT_UNAUTHORIZED,
    [vendor.contextVariable]: 'background',
    [stepVariable]: undefined,
    [issuedVariable]: String(issued),
    [callerVariable]: caller,
  }
}

/**
 * Returns whether the process needs a variable: an option of a helper or a setting of AWS. Keys and tokens are left out: a person's sign-in
 * needs none, and they may belong to another helper.
 */
function isSetting(name: string): boolean {
  if (namesOnly.has(name)) return true
  return (
    /^(GATEPASS|AWS)_/.test(name) && (!/^GATEPASS_.*KEY|SECRET|TOKEN|PASSWORD/.test(name) || name.endsWith('_FILE'))
  )
}

/** Options with the name of a secret or a token, its source or its store. They hold no secret. */
const namesOnly: ReadonlySet<string> = new Set([
  ...['GATEPASS_SECRET', 'GATEPASS_JSON_KEY'],
  ...['GATEPASS_TOKEN_URL', 'GATEPASS_BEARER_TOKEN_TYPE', 'GATEPASS_REFRESH_TOKEN_STORE'],
  ...['GATEPASS_EXCHANGE_REQUESTED_TOKEN_TYPE', 'GATEPASS_EXCHANGE_SECRET_VARIABLE'],
])
