import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { choosePolicyName, findInstalledClient } from '../../../client/installed-client.ts'
import { readDocumentFile } from '../../../config/read/file.ts'
import type { ReadResult } from '../../../config/read/read-document.ts'
import type { Host } from '../../../runtime/host.ts'
import { vendor } from '../../../vendor.ts'
import { createExaminedMachine } from '../../vendor-installed.ts'

/**
 * Finds the document that is installed under the name in force, in this order: on Linux the managed file; on macOS the preferences that
 * are managed for the machine, then those for this user; on Windows the policy of the machine, then that of the user.
 */
export async function findInstalledDocument(host: Host): Promise<InstalledDocument | undefined> {
  const { policies } = await findInstalledClient(createExaminedMachine(host), vendor)
  const own = vendor[choosePolicyName(host.platform)].toLowerCase()
  const found = policies.find(({ name, location }) => name.toLowerCase() === own && isRead(host.platform, location))
  if (!found) return undefined
  const { location } = found
  return {
    source: location,
    result: await (host.platform === 'win32' ? readKey(host, location) : readDocumentFile(location)),
  }
}

/** The document that management has installed on a machine, and the file or the registry key that holds it. */
interface InstalledDocument {
  readonly source: string
  readonly result: ReadResult
}

/** On macOS, preferences that are managed for another user lie in a folder with that user's name. */
function isRead(platform: NodeJS.Platform, location: string): boolean {
  return platform !== 'darwin' || ['Managed Preferences', userInfo().username].includes(basename(dirname(location)))
}

async function readKey(host: Host, key: string): Promise<ReadResult> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepass-'))
  try {
    const path = join(folder, 'policy.reg')
    await createExaminedMachine(host).run('reg', ['export', key, path, '/y', '/reg:64'])
    return await readDocumentFile(path)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
