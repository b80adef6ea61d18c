import { sha256 } from '../runtime/digest.ts'
import type { Environment } from '../runtime/environment.ts'
import { vendor } from '../vendor.ts'

/** Why the client runs us, which the programs that we run may know. */
const reasons: ReadonlySet<string> = new Set([vendor.contextVariable, vendor.manualRunVariable])

/** What is meant for a helper and not for the tools that it runs stays here: a proxy's password, an API key. */
export function passedOn(env: Environment): Environment {
  const isOurs = (name: string) => /^GATEPASS_/i.test(name) || name.startsWith(`${vendor.envPrefix}_`)
  return Object.fromEntries(Object.entries(env).filter(([name]) => reasons.has(name) || !isOurs(name)))
}

/** Secrets that are renewed while the identity stays: the id of an access key tells one pair from another. */
export const rotatingVariables = ['AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AWS_CREDENTIAL_EXPIRATION'] as const

/** Nobody goes by them, and shells set them anew for each program: how deep, which, and from where. */
const ofShells = ['SHLVL', '_', 'OLDPWD']

/**
 * What a program could go by when it chooses whose token it prints, for the cache's key: every variable that it is given,
 * but for those that tell nothing of an identity. A digest, because there are secrets among them.
 */
export function digestEnvironment(env: Environment): string {
  const leftOut = new Set<string>([...reasons, ...rotatingVariables, ...ofShells])
  const pairs = Object.entries(passedOn(env)).filter(([name]) => !leftOut.has(name))
  return sha256(JSON.stringify(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1))))
}
