import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Host } from '../../src/runtime/host.ts'
import type { Streams } from '../../src/runtime/standard-streams.ts'
import { temporaryDirectory } from './temporary-directory.ts'

/** The moment at which a test host's clock stands, and at which its process started. */
export const testNow = Date.UTC(2026, 0, 15, 12)

/** A world of a test's own, with what was written to its streams. */
export interface TestHost extends Host {
  readonly written: { stdout: string; stderr: string }
}

export interface TestHostParts extends Partial<Omit<Host, 'streams'>> {
  readonly streams?: Partial<Streams>
}

/** Returns a host with a real home directory, an empty environment, no terminal and a clock that stands still. */
export async function testHost({ streams, ...parts }: TestHostParts = {}): Promise<TestHost> {
  const home = parts.home ?? (await startHome())
  const written = { stdout: '', stderr: '' }
  return {
    argv: [],
    env: {},
    home,
    platform: 'linux',
    machineDirectory: join(home, 'machine'),
    runtimeVersion: '26.0.0',
    clock: { now: () => testNow, startedAt: testNow, elapsedMs: () => 0 },
    // The test's own process cannot be started once more.
    ownCommand: { program: join(home, 'no-program'), args: [], argv0: 'no-program' },
    ...parts,
    written,
    streams: {
      stdout: async (text) => {
        written.stdout += text
      },
      stderr: (text) => {
        written.stderr += text
      },
      stdin: async () => Buffer.alloc(0),
      flush: async () => 'finished',
      attached: () => 'pipe',
      columns: () => undefined,
      input: () => Readable.from([]),
      ...streams,
    },
  }
}

/** Prepares a new home directory, with the machine's directory inside. */
async function startHome(): Promise<string> {
  const home = await temporaryDirectory()
  await mkdir(join(home, 'machine'), { mode: 0o755 })
  return home
}
