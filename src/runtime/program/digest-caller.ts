import { createHash } from 'node:crypto'
import { vendor } from '../../vendor.ts'
import type { Host } from '../host.ts'
import { isIdentityVariable, windowVariables } from './identity-variables.ts'

/** The values that distinguish runs with the same key. */
export interface Caller extends Pick<Host, 'argv' | 'env'> {
  /** Variables that the options name. */
  readonly variables: readonly string[]
}

/**
 * Distinguishes runs with the same key that may not fail alike: one may have another proxy, or another spelling of a secret. Variables
 * that a client sets anew for each of its processes do not count. The digest is too short to derive its input.
 */
export function digestCaller({ argv, env, variables }: Caller): string {
  const counted = [...new Set([...Object.keys(env).filter(mayCauseFailure), ...variables])].sort()
  return createHash('sha256')
    .update(JSON.stringify([argv, counted.map((name) => [name, env[name]])]))
    .digest('hex')
    .slice(0, 8)
}

/** Our variables, the client's, those of an identity with its secrets, and those of the network. */
function mayCauseFailure(name: string): boolean {
  const isOurs = name.startsWith('GATEPASS_') || name.startsWith(`${vendor.envPrefix}_`)
  return isOurs || isIdentityVariable(name) || windowVariables.some((window) => window === name)
}
