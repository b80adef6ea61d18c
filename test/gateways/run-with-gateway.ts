import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { GatewayProcess } from './gateway-process.ts'

/** Runs a gateway in a directory of its own, without a space in its name, as long as it is used. */
export async function runWithGateway<T>(
  start: (directory: string) => Promise<GatewayProcess>,
  use: (gateway: GatewayProcess) => Promise<T>,
): Promise<T> {
  return runInDirectory(async (directory) => {
    const gateway = await start(directory)
    return await use(gateway).finally(gateway.close)
  })
}

/** Gives a directory as long as it is used. */
export async function runInDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await openDirectory()
  try {
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** A directory without a space in its name, which configurations of gateways do not take; the caller removes it. */
export async function openDirectory(): Promise<string> {
  return await mkdtemp(join(tmpdir(), 'gatepass-gateway-'))
}
