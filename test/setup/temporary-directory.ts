import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Returns a directory of the test's own, with a space and a letter beyond ASCII in its name, removed when the test is over. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'gatepass tést '))
  // A process that outlives a run, such as a renewal, may still write there for a moment.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return directory
}
