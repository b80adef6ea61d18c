import { toSha256 } from '../runtime/digest.ts'
import type { Environment } from '../runtime/environment.ts'
import { vendor } from '../vendor.ts'
import { rotatingVariables } from './rotating-variables.ts'

/** Variables that say why the client runs a helper. A program that the helper runs may read them too. */
const contextVariables: ReadonlySet<string> = new Set([vendor.contextVariable, vendor.manualRunVariable])

/**
 * The environment of a program that a helper runs: without the helper's own settings, which may hold a proxy's password or an
 * API key.
 */
export function toChildEnvironment(env: Environment): Environment {
  const isOurs = (name: string) => /^GATEPASS_/i.test(name) || name.startsWith(`${vendor.envPrefix}_`)
  return Object.fromEntries(Object.entries(env).filter(([name]) => contextVariables.has(name) || !isOurs(name)))
}

/** By these a program reaches a person: a display for a window, a program that opens a page or asks for a password, a terminal. */
const personVariables = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'BROWSER',
  'SSH_ASKPASS',
  'SSH_ASKPASS_REQUIRE',
  'SUDO_ASKPASS',
  'GIT_ASKPASS',
  'GPG_TTY',
]

/** The same environment for a run in which nobody may be asked. macOS and Windows open windows without such variables. */
export function toSilentEnvironment(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !personVariables.includes(name)))
}

/** Shells and desktops set these anew for each program, and no program chooses an identity by them. */
const shellVariables = ['SHLVL', '_', 'PWD', 'OLDPWD', 'WINDOWID', 'TERM_SESSION_ID', 'XDG_ACTIVATION_TOKEN']

/**
 * A digest of every variable by which a program may choose whose token it prints, for the cache's key. Variables that say
 * nothing about an identity are left out. It is a digest because some of the values are secrets.
 */
export function digestEnvironment(env: Environment): string {
  const leftOut = new Set<string>([...contextVariables, ...rotatingVariables, ...shellVariables])
  const pairs = Object.entries(toChildEnvironment(env)).filter(([name]) => !leftOut.has(name))
  return toSha256(JSON.stringify(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}
