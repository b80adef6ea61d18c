import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import type { NetworkSettings } from '../../../runtime/network/settings.ts'
import { Secret } from '../../../runtime/secret.ts'
import { type RedisAddress, redisPasswordOption, redisPasswordVariable } from './redis-address.ts'

/** How a Redis is reached, and what is written there. */
export interface RedisSettings {
  readonly address: RedisAddress
  /** Read for each connection, so that a new password is used after the old one was withdrawn. */
  readonly password: () => Promise<Secret | undefined>
  /** The certificate authorities that vouch for it, under TLS; proxies are none of its ways. */
  readonly network: NetworkSettings
  /** What every key begins with. Verifiers that share it share what they remember. */
  readonly prefix: string
  /** How long one use may wait for an answer, in milliseconds. */
  readonly waitMs: number
}

export const defaultRedisPrefix = 'gatepass:used:'

/** Less than nginx, Envoy or a person would wait, and longer than a Redis that is well ever takes. */
export const defaultRedisWaitMs = 500

/**
 * The password out of its file, or else out of the variable `GATEPASS_REDIS_PASSWORD`; `undefined` where neither is set.
 * @throws {HelperError} `not-configured` for a file that is missing, empty or has more than one line.
 */
export async function readRedisPassword(file: string | undefined, env: Environment): Promise<Secret | undefined> {
  if (file === undefined) {
    const set = env[redisPasswordVariable]
    return set ? new Secret(set) : undefined
  }
  const text = await readIfPresent(file)
  const [password = '', ...others] = (text ?? '').replace(/(\r?\n)+$/, '').split(/\r?\n/)
  if (text !== undefined && password !== '' && others.length === 0) return new Secret(password)
  throw new HelperError(
    'not-configured',
    text === undefined ? `the file ${file} (${redisPasswordOption}) does not exist` : `${file} is not one line`,
    `write the password of Redis into ${file}, alone on its line`,
  )
}
