import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** A base document with which nothing is wrong. */
export const baseDocument = {
  $schemaVersion: 2,
  inference: {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'helper-script', command: '/opt/acme/helper', commandWindows: 'C:\\Acme\\helper.exe' },
  },
}

/** Creates a folder with these files, each an object or the text itself; the base document is there unless it is given. */
export async function createRollout(files: Readonly<Record<string, object | string>>): Promise<string> {
  const folder = await temporaryDirectory()
  for (const [name, content] of Object.entries({ 'base.json': baseDocument, ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
  }
  return folder
}
