import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path'
import type { KeyFile } from '../read/key-files.ts'
import { listKeyFiles, type PolicyReading, parsePolicy } from '../read/parse-policy.ts'
import { readBoundedFile, type Writers } from './read-bounded-file.ts'

/** A policy file and those beside it that it names, as they are at one moment. */
export interface PolicyFile extends PolicyReading {
  /** SHA-256 of all of them in hexadecimal: another one after any change. */
  readonly digest: string
}

/** Reads a policy file and the key files that it names. Never throws: what is wrong is among the findings. */
export async function readPolicyFile(path: string, writers: Writers): Promise<PolicyFile> {
  const content = await readBoundedFile(path, writers)
  if (!(content instanceof Uint8Array))
    return { policy: undefined, findings: [content], digest: digestFiles(new Map([['', content]])) }
  const keyFiles = new Map<string, KeyFile>()
  for (const name of listKeyFiles(content))
    keyFiles.set(name, await readBoundedFile(join(dirname(path), name), writers))
  return { ...parsePolicy(content, keyFiles), digest: digestFiles(new Map([['', content], ...keyFiles])) }
}

function digestFiles(files: ReadonlyMap<string, KeyFile>): string {
  const hash = createHash('sha256')
  for (const [name, content] of files) {
    const bytes = content instanceof Uint8Array ? content : Buffer.from(content.message)
    hash.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}
