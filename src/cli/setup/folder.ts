import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { HelperError, toOneLine } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { parseAnswers, type SetupAnswers } from './answers.ts'
import { isVendorFile } from './client.ts'

/** One file of the folder; its path has slashes between its parts. */
export interface FolderFile {
  readonly path: string
  readonly content: string | Uint8Array
  /** The text that the answers make, where a person's own text stands in its place as the content. */
  readonly proposed?: string
  /** The purpose of the file, for the folder's README. */
  readonly about: string
  /** Whether it is made from other files of the folder, so that its lines say nothing more. */
  readonly isExport?: true
  /** Whether only its owner may read it. */
  readonly isSecret?: boolean
}

/** A file of the folder that is text. */
export type TextFile = FolderFile & { readonly content: string }

/** The content of a file as bytes. */
export function toBytes({ content }: Pick<FolderFile, 'content'>): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
}

/** Texts of persons that stand in the folder in place of those of setup, by their paths: other files are made from them. */
export type OwnTexts = ReadonlyMap<string, string>

/** A file with the text that stands for it in the folder. */
export function toStanding(file: TextFile, own: OwnTexts): TextFile {
  const content = own.get(file.path)
  return content === undefined ? file : { ...file, content, proposed: file.content }
}

/** The configuration document of every system, or of those that are not Windows. */
export const documentPath = 'document.json'

/** The document of Windows, where another stands beside it. */
export const windowsDocumentPath = 'document-windows.json'

/** The folder's copy of the certificate authority, which lies beside the machine's file on each machine too. */
export const authorityPath = 'machine/authority.pem'

/** The path of the answers in the folder. */
export const answersPath = 'answers.json'

/** The file in which the folder remembers what setup wrote, so that it never replaces what a person has changed. */
export const manifestPath = '.gatepass-setup.json'

/**
 * The folder that is meant: the one that is named, else this one if setup has written it, else `rollout` in it. A file of answers alone
 * is not a folder of setup: somebody may have written it for `--answers`.
 * @throws {HelperError} `refused` for a path that cannot be a folder, before anybody is asked anything.
 */
export async function findFolder(named: string | undefined): Promise<string> {
  if (named !== undefined) return requireFolder(resolve(named))
  return requireFolder(resolve((await isWrittenFolder('.')) ? '.' : 'rollout'))
}

/** Whether setup has written this folder. */
export async function isWrittenFolder(directory: string): Promise<boolean> {
  return (await readIfThere(join(directory, manifestPath))) !== undefined
}

async function requireFolder(directory: string): Promise<string> {
  const kind = await examinePath(directory)
  if (kind === 'folder' || kind === 'absent') return directory
  const what = kind === 'file' ? 'is a file, not a folder' : 'cannot be a folder, because a part of its path is a file'
  throw new HelperError('refused', toOneLine(`${directory} ${what}`), 'name another folder')
}

async function examinePath(path: string): Promise<'folder' | 'file' | 'below a file' | 'absent'> {
  try {
    return (await stat(path)).isDirectory() ? 'folder' : 'file'
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOTDIR' ? 'below a file' : 'absent' // only the file system fails here
  }
}

/** The hint for a folder in which this user cannot write. */
export const foreignFolderHint = 'check who owns it, or name another folder'

/**
 * Refuses a folder in which this user cannot create files, before anybody is asked anything.
 * @throws {HelperError} `refused`
 */
export async function refuseReadOnly(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // only the file system fails here
    if (code === 'ENOENT' && dirname(directory) !== directory) return refuseReadOnly(dirname(directory))
    const what = toOneLine(`${directory} cannot be written (${code})`)
    throw new HelperError('refused', what, foreignFolderHint, { cause })
  }
}

/** The file that holds the answers of a conversation which has not reached its end. */
export const begunPath = '.gatepass-setup.begun.json'

/** The answers of the folder's last run; none where there are none. */
export function readKept(directory: string): Promise<SetupAnswers> {
  return readAnswers(directory, answersPath)
}

/** The answers in a file of the folder, whose paths begin at the folder; none where there is no such file. */
export async function readAnswers(directory: string, name: string): Promise<SetupAnswers> {
  const path = join(directory, name)
  const text = await readIfThere(path)
  if (text === undefined) return {}
  return withPaths(parseAnswers(Buffer.from(text).toString('utf8'), path), (file) => resolve(directory, file))
}

/** The answers as the folder keeps them: paths begin at the folder, so that they are right wherever setup is run again. */
export function toKept(answers: SetupAnswers, directory: string): SetupAnswers {
  return withPaths(answers, (file) => relative(directory, file))
}

function withPaths(answers: SetupAnswers, change: (file: string) => string): SetupAnswers {
  const { client, ca, 'api-key-file': keyFile } = answers
  return {
    ...answers,
    ...(client !== undefined && isVendorFile(client) && { client: change(client) }),
    ...(ca !== undefined && ca !== 'none' && { ca: change(ca) }),
    ...(keyFile !== undefined && { 'api-key-file': change(keyFile) }),
  }
}

/** A file of the folder; `undefined` where there is none. @throws {HelperError} `refused` for one that cannot be read. */
export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException // only the file system fails here
    if (code === 'ENOENT') return undefined
    const hint =
      code === 'ENOTDIR' || code === 'EISDIR' ? 'name another folder' : 'check who owns it and its permissions'
    throw new HelperError('refused', toOneLine(`${path} cannot be read (${code})`), hint, { cause })
  }
}

/** The hint to complete a folder that lacks answers. */
export function describeCompletion(directory: string, open: readonly string[]): string {
  const options = open.map((name) => ` --${name} …`).join('')
  return `register what registration.md says, then: ${programName} setup ${quoteForHint(directory)} --write${options}`
}
