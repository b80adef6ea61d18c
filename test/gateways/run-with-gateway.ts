import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayProcess } from './gateway-process.ts'

/** Runs a gateway in a directory of its own until `use` has finished. */
export async function runWithGateway<T>(
  start: (directory: string) => Promise<GatewayProcess>,
  use: (gateway: GatewayProcess) => Promise<T>,
): Promise<T> {
  return runInDirectory(async (directory) => {
    const gateway = await start(directory)
    return await use(gateway).finally(gateway.close)
  })
}

/** Creates a directory for `use`, and removes it afterwards. */
export async function runInDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await openDirectory()
  try {
    return await use(directory)
  } finally {
    // Without retries: every process that writes here has ended, and one that was left behind makes the test fail.
    await rm(directory, { recursive: true, force: true })
  }
}

/** Makes a directory without a space in its name, which configurations of gateways do not take; the caller removes it. */
export async function openDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'gatepass-gateway-'))
}
