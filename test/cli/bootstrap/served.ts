import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { releaseFiles } from '../../../src/bootstrap/release.ts'
import { ReleaseFolder } from '../../bootstrap/release-folder.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import {
  startIssuerWithPolicy,
  startServerProcess,
  type VerifierProcess,
} from '../gateway/verifier/verifier-process.ts'

/** Creates a policy, an issuer, a release folder in which releases with these documents follow each other, and the options for them. */
export async function createServedFolder(documents: readonly object[]) {
  const given = await startIssuerWithPolicy()
  const folder = await ReleaseFolder.create()
  const home = await temporaryDirectory()
  const publicKey = join(home, 'release.pem')
  await writeFile(publicKey, folder.key.key.export({ type: 'spki', format: 'pem' }))
  let oldPointer = ''
  for (const [index, document] of documents.entries()) {
    const serial = index + 1
    const manifest = await folder.addRelease({ counter: serial, documents: { '': document } })
    await folder.point({ manifest, serial })
    if (index === 0) oldPointer = await readFile(join(folder.path, releaseFiles.pointer), 'utf8')
  }
  const argv = ['--policy', given.policy, '--release', folder.path, '--public-key', publicKey]
  /** `oldPointer` is the signed pointer of the first release. */
  return { ...given, folder, home, publicKey, oldPointer, argv }
}

interface ServedSettings {
  /** The documents of releases that follow each other, of which the last one is served when the server starts. */
  readonly documents: readonly object[]
  readonly hasState?: boolean
}

/** A configuration server as a process that serves a release. */
export type Served = Awaited<ReturnType<typeof startServed>>

export async function startServed({ documents, hasState = true }: ServedSettings) {
  const given = await createServedFolder(documents)
  const stateDirectory = join(given.home, 'state')
  await mkdir(stateDirectory, { mode: 0o700 })
  let process: VerifierProcess | undefined
  const start = async () => {
    process = await startServerProcess(
      ...['bootstrap', 'serve', ...given.argv],
      ...['--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
      ...(hasState ? ['--state', join(stateDirectory, 'served.json')] : []),
    )
    return process
  }
  const askWith = async (token: string) => {
    const { status, headers } = await fetch(`${process!.addresses.listen}/bootstrap`, {
      headers: { authorization: `Bearer ${token}` },
    })
    return { status, etag: headers.get('etag') ?? undefined }
  }
  const ask = () => askWith(given.token)
  await start()
  await expect.poll(async () => (await ask()).status, { interval: 50 }).toBe(200)
  return {
    ...given,
    stateDirectory,
    ask,
    askWith,
    admin: () => process!.addresses.admin!,
    async restart() {
      process!.signal('SIGTERM')
      await process!.ended
      await start()
    },
    /** Waits for the first line of the log with this event. */
    async waitForEvent(event: string): Promise<Record<string, unknown>> {
      const find = () => process!.log().find((line) => line.event === event)
      await expect.poll(find, { interval: 50 }).toBeDefined()
      return find()!
    },
  }
}
