import type { Environment } from '../../runtime/environment.ts'
import { createHost } from '../../runtime/host.ts'
import { toNetworkSettings } from '../../runtime/network/settings.ts'
import type { OpenSignIn } from './client-sign-in.ts'
import { createOpenSignIn, type OpenAddress } from './create-open-sign-in.ts'

/** The environment of a client, by which a browser and certificates are found. */
interface ClientSurroundings {
  readonly env: Environment
  readonly platform: NodeJS.Platform
  readonly openAddress: OpenAddress | undefined
}

/**
 * Sign-ins for a client that is a part of another program: its requests go out directly, as its turns do. Whoever opens the
 * address knows of it, so that nothing is printed then.
 */
export function createLibrarySignIn({ env, platform, openAddress }: ClientSurroundings): OpenSignIn {
  const own = createHost()
  const streams = openAddress ? { ...own.streams, stderr: () => {} } : own.streams
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, env)
  return createOpenSignIn({
    program: 'gatepass',
    host: { ...own, env, platform, streams },
    network,
    ...(openAddress && { openAddress }),
  })
}
