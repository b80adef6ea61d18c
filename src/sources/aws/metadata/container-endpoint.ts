import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { readIfPresent } from '../../../runtime/files.ts'
import { isLoopback, normalizeHost } from '../../../runtime/network/loopback.ts'

/** Where Amazon ECS and EKS answer, which is asked over plain http. AWS documentation, "Container credential provider". */
const containerHosts: readonly string[] = ['169.254.170.2', '169.254.170.23', 'fd00:ec2::23']

/**
 * The address at which a container's credentials are, as the environment names it; `undefined` outside of one.
 * @throws {HelperError} `not-configured` for an address that is none, or that would be asked over plain http elsewhere.
 */
export function findContainerEndpoint(env: Environment): string | undefined {
  const { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: relative, AWS_CONTAINER_CREDENTIALS_FULL_URI: full } = env
  if (relative && !relative.startsWith('/'))
    throw toUnusable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI does not begin with a slash')
  if (relative) return `http://${containerHosts[0]}${relative}`
  if (!full) return undefined
  const url = URL.parse(full)
  if (!url?.hostname || !/^https?:$/.test(url.protocol))
    throw toUnusable('AWS_CONTAINER_CREDENTIALS_FULL_URI is not a web address')
  const isNear = isLoopback(url.hostname) || containerHosts.includes(normalizeHost(url.hostname))
  if (url.protocol === 'https:' || isNear) return full
  throw toUnusable(`AWS_CONTAINER_CREDENTIALS_FULL_URI leads to ${url.hostname} over plain http`)
}

/**
 * The token for that address; `undefined` where none is set. Its file counts before its variable.
 * @throws {HelperError} `not-configured` for one that no request can carry, naming the variable and the file.
 */
export async function readAuthorization(env: Environment): Promise<string | undefined> {
  const { AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: path, AWS_CONTAINER_AUTHORIZATION_TOKEN: token = '' } = env
  const text = path ? await readIfPresent(path) : token
  if (text === undefined) throw toUnusable(`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names ${path}, which does not exist`)
  const owner = path
    ? `${path}, which AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE names,`
    : 'AWS_CONTAINER_AUTHORIZATION_TOKEN'
  if (/[\r\n]/.test(text)) throw toUnusable(`${owner} holds a line break, which no request can carry`)
  return text || undefined
}

function toUnusable(message: string): HelperError {
  return new HelperError('not-configured', message, 'leave the variable as the container sets it, or unset it')
}
