import { hash } from 'node:crypto'
import { vendor } from '../../vendor.ts'
import type { Host } from '../host.ts'
import { isIdentityVariable, windowVariables } from './identity-variables.ts'

/** The values that distinguish runs with the same cache key. */
export interface Caller extends Pick<Host, 'argv' | 'env'> {
  /** Variables that the options name. */
  readonly variables: readonly string[]
}

/**
 * Digests the values by which runs with the same key may fail differently, such as another proxy or another spelling of a secret. Variables
 * that a client sets anew for each of its processes do not count. The digest is too short to derive its input.
 */
export function digestCaller({ argv, env, variables }: Caller): string {
  const counted = [...new Set([...Object.keys(env).filter(mayCauseFailure), ...variables])].sort()
  return hash('sha256', JSON.stringify([argv, counted.map((name) => [name, env[name]])])).slice(0, 8)
}

/**
 * Returns whether a variable may cause a failure: a setting of Gatepass, of the client or of the network, or a variable of an identity,
 * secrets included.
 */
function mayCauseFailure(name: string): boolean {
  return isOwnVariable(name) || isIdentityVariable(name) || windowVariables.some((window) => window === name)
}

/** Returns whether a variable sets something of Gatepass or of the client. */
export function isOwnVariable(name: string): boolean {
  return /^GATEPASS_/i.test(name) || name.startsWith(`${vendor.envPrefix}_`)
}
