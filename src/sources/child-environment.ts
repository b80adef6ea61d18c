import { refreshCauseVariable } from '../contract/refresh.ts'
import { windowVariables } from '../runtime/program/identity-variables.ts'
import type { Environment } from '../runtime/run-process.ts'
import { vendor } from '../vendor.ts'

/**
 * The environment of a program that a helper runs: without the helper's own settings, which may hold a proxy's password or an
 * API key.
 */
export function toChildEnvironment(env: Environment): Environment {
  const isOurs = (name: string) => /^GATEPASS_/i.test(name) || name.startsWith(`${vendor.envPrefix}_`)
  return Object.fromEntries(Object.entries(env).filter(([name]) => contextVariables.has(name) || !isOurs(name)))
}

/** Variables that say why the client runs a helper. A program that the helper runs may read them too, and may be a helper. */
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

/** The environment of a child in a run in which nobody may be asked. macOS and Windows can open windows even without these variables. */
export function toSilentEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !personVariables.includes(name)))
}
