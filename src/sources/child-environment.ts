import { refreshCauseVariable } from '../contract/refresh.ts'
import { isOwnVariable } from '../runtime/program/digest-caller.ts'
import { windowVariables } from '../runtime/program/identity-variables.ts'
import type { Environment } from '../runtime/run-process.ts'
import { vendor } from '../vendor.ts'

/**
 * Creates the environment of a program that a helper runs. The helper's own settings are left out, because they may hold a proxy's password
 * or an API key.
 */
export function toChildEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => contextVariables.has(name) || !isOwnVariable(name)))
}

/** Variables with the client's context. They are kept, because a program that the helper runs may be a helper too. */
const contextVariables: ReadonlySet<string> = new Set([
  vendor.contextVariable,
  vendor.manualRunVariable,
  refreshCauseVariable,
])

/** The variables by which a program reaches a person: a display, a program that opens a page or asks for a password, a terminal. */
const personVariables: readonly string[] = [
  ...windowVariables,
  'SSH_ASKPASS',
  'SSH_ASKPASS_REQUIRE',
  'SUDO_ASKPASS',
  'GIT_ASKPASS',
  'GPG_TTY',
]

/** Creates the environment of a program in a silent context. macOS and Windows can open windows even without these variables. */
export function toSilentEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !personVariables.includes(name)))
}
