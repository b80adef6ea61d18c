import { type DeviceEvent, toDeviceAddresses } from '../../bootstrap/device/answer-client.ts'
import { DeviceGrants } from '../../bootstrap/device/device-grants.ts'
import { createDeviceListener, type DeviceListener } from '../../bootstrap/device/device-listener.ts'
import { createOrganizationProvider } from '../../bootstrap/device/organization-provider.ts'
import { expandHome } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { readKeyFile } from '../../runtime/files/read-key-file.ts'
import { createStreamFetch } from '../../runtime/network/stream-fetch.ts'
import { Secret } from '../../runtime/secret.ts'
import type { Cli } from '../cli.ts'
import type { OpenedVerifier } from '../gateway/verifier/open-verifier.ts'
import { readNetwork } from '../network.ts'
import type { DeviceFlags } from './device-options.ts'

/**
 * Opens device sign-ins; `undefined` where they are not asked for.
 * @throws {HelperError} `usage` for options that do not stand together, `not-configured` for a secret that is not there.
 */
export async function openDeviceListener(
  { host }: Cli,
  flags: DeviceFlags & { readonly path: string },
  { verifier, log, observe }: Pick<OpenedVerifier, 'verifier' | 'log'> & { observe(event: DeviceEvent): void },
): Promise<DeviceListener | undefined> {
  const { deviceOrigin: origin, deviceIssuer: issuer, deviceClientId: clientId, deviceClientSecretFile: file } = flags
  const given = [origin, issuer, clientId, file].filter((value) => value !== undefined)
  if (given.length === 0) return undefined
  if (origin === undefined || issuer === undefined || clientId === undefined || file === undefined)
    throw new HelperError(
      'usage',
      'device sign-ins need four options',
      'pass --device-origin, --device-issuer, --device-client-id and --device-client-secret-file, or none of them',
    )
  const path = expandHome(file, host.home)
  const readSecret = () => readClientSecret(path)
  await readSecret()
  const { now } = host.clock
  const addresses = toDeviceAddresses(origin, flags.path)
  const provider = createOrganizationProvider({
    ...{ issuer, clientId, readSecret, now, scope: flags.deviceScope, token: flags.deviceToken },
    ...{ resource: flags.deviceResource, redirectUri: `${origin}${addresses.callback}` },
    fetch: createStreamFetch({ network: await readNetwork(host), silenceSec: 10 }),
  })
  return createDeviceListener({ addresses, grants: new DeviceGrants(now), provider, verifier, log, now, observe })
}

async function readClientSecret(path: string): Promise<Secret> {
  const text = await readKeyFile(path, 'group-of-root')
  if (text?.trim()) return new Secret(text.trim())
  throw new HelperError(
    'not-configured',
    `the file ${path}, which should hold the secret of this server, does not exist or is empty`,
    'put the secret there, or correct --device-client-secret-file',
  )
}
