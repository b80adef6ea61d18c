import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { parseAnswers, type SetupAnswers } from './answers.ts'

/** One file of the folder; its path has slashes between its parts. */
export interface FolderFile {
  readonly path: string
  readonly content: string | Uint8Array
  /** The purpose of the file, for the folder's README. */
  readonly about: string
  /** Whether it is made from the document, so that its lines say nothing more. */
  readonly isExport?: true
  /** Whether only its owner may read it. */
  readonly isSecret?: boolean
}

/** The content of a file as bytes. */
export function toBytes({ content }: Pick<FolderFile, 'content'>): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
}

/** Where the folder keeps the answers. */
export const answersPath = 'answers.json'

/** The folder that is meant: the one that is named, else this one if setup has written it, else `rollout` in it. */
export async function findFolder(named: string | undefined): Promise<string> {
  if (named !== undefined) return resolve(named)
  const isHere = (await readIfThere(answersPath)) !== undefined
  return resolve(isHere ? '.' : 'rollout')
}

/** The answers of the folder's last run; none where setup has not written it. */
export async function readKept(directory: string): Promise<SetupAnswers> {
  const path = join(directory, answersPath)
  const text = await readIfThere(path)
  return text === undefined ? {} : parseAnswers(Buffer.from(text).toString('utf8'), path)
}

/** A file of the folder; `undefined` where there is none. @throws {HelperError} `refused` for one that cannot be read. */
export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // of the file system alone
    if (code === 'ENOENT') return undefined
    const hint =
      code === 'ENOTDIR' || code === 'EISDIR' ? 'name another folder' : 'check who owns it and its permissions'
    throw new HelperError('refused', toOneLine(`${path} cannot be read (${code})`), hint, { cause })
  }
}
