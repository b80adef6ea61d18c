// Holds the paths of a setup folder, and reads the answers that it keeps.

import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { findErrorCode, HelperError, toOneLine } from '../../runtime/failure.ts'
import { quoteForHint } from '../../runtime/text/quote.ts'
import { vendorFileName } from '../../vendor/setting.ts'
import { programName } from '../../version.ts'
import { isNone, parseAnswers, type SetupAnswers } from './answers.ts'
import { isVendorFile } from './client-names.ts'

/** A file of the folder, by its path with slashes. */
export interface FolderFile {
  readonly path: string
  readonly content: string | Uint8Array
  /** The text from the answers, if the content is a person's own text. */
  readonly proposed?: string | undefined
  /** The purpose of the file, for the folder's README. */
  readonly about: string
  /** Whether it is generated from other files of the folder, so that its lines add nothing. */
  readonly isExport?: true
  /** Whether only its owner may read it. */
  readonly isSecret?: boolean
}

/** A file of the folder whose content is text instead of bytes. */
export type TextFile = FolderFile & { readonly content: string }

export function toBytes({ content }: Pick<FolderFile, 'content'>): Buffer {
  return typeof content === 'string' ? Buffer.from(content) : Buffer.from(content)
}

/** The persons' own texts that replace those of setup, by path: other files are generated from them. */
export type OwnTexts = ReadonlyMap<string, string>

/** Returns a file with the text that the folder contains. */
export function toStanding(file: TextFile, own: OwnTexts): TextFile {
  const content = own.get(file.path)
  return content === undefined ? file : { ...file, content, proposed: file.content }
}

/** The configuration document of all systems, or of those other than Windows. */
export const documentPath = 'document.json'

/** The document for Windows, if it differs. */
export const windowsDocumentPath = 'document-windows.json'

/** The folder's copy of the certificate authority, which is also next to the machine's file on each machine. */
export const authorityPath = 'machine/authority.pem'

/** The names of the client, if they are not those of this build. */
export const vendorPath = vendorFileName

/** The AWS profile that people get. */
export const awsConfigPath = 'aws/config'

/** The policy of the verifier. */
export const policyPath = 'gateway/policy.json'

/** The path of the answers in the folder. */
export const answersPath = 'answers.json'

/** The file with the digests of setup's texts, so that setup never replaces a text that a person has changed. */
export const manifestPath = '.gatepass-setup.json'

/**
 * Resolves the folder to use: the given one, else this one if setup has written it, else `rollout` in it. A file of answers alone does not
 * make a folder of setup, because a person may have written it for `--answers`.
 * @throws {HelperError} `refused` for a path that cannot be a folder, before any question.
 */
export async function resolveFolder(named: string | undefined): Promise<string> {
  if (named !== undefined) return requireFolder(resolve(named))
  return requireFolder(resolve((await isWrittenFolder('.')) ? '.' : 'rollout'))
}

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
    return findErrorCode(cause) === 'ENOTDIR' ? 'below a file' : 'absent'
  }
}

/** The hint for a folder in which this user cannot write. */
export const foreignFolderHint = 'check who owns it, or name another folder'

/**
 * Refuses a folder in which this user cannot create files, before any question.
 * @throws {HelperError} `refused`
 */
export async function refuseReadOnly(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK)
  } catch (cause) {
    const code = findErrorCode(cause)
    if (code === 'ENOENT' && dirname(directory) !== directory) return refuseReadOnly(dirname(directory))
    const what = toOneLine(`${directory} cannot be written (${code})`)
    throw new HelperError('refused', what, foreignFolderHint, { cause })
  }
}

/** The file with the answers of an unfinished conversation. */
export const begunPath = '.gatepass-setup.begun.json'

/** Reads the answers of the folder's last run; empty without one. */
export function readKept(directory: string): Promise<SetupAnswers> {
  return readAnswers(directory, answersPath)
}

/** Reads the answers in a file of the folder, with paths relative to the folder; empty without the file. */
export async function readAnswers(directory: string, name: string): Promise<SetupAnswers> {
  const path = join(directory, name)
  const text = await readIfThere(path)
  if (text === undefined) return {}
  return withPaths(parseAnswers(Buffer.from(text).toString('utf8'), path), (file) => resolve(directory, file))
}

/** Returns the answers in the form of the folder: paths are relative to it, so that they are valid wherever setup runs again. */
export function toKept(answers: SetupAnswers, directory: string): SetupAnswers {
  return withPaths(answers, (file) => relative(directory, file))
}

function withPaths(answers: SetupAnswers, change: (file: string) => string): SetupAnswers {
  const { client, ca, 'api-key-file': keyFile } = answers
  return {
    ...answers,
    ...(client !== undefined && isVendorFile(client) && { client: change(client) }),
    ...(ca !== undefined && !isNone(ca) && { ca: change(ca) }),
    ...(keyFile !== undefined && { 'api-key-file': change(keyFile) }),
  }
}

/**
 * Reads a file of the folder; `undefined` for a missing one.
 * @throws {HelperError} `refused` for an unreadable one.
 */
export async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  try {
    return await readFile(path)
  } catch (cause) {
    const code = findErrorCode(cause)
    if (code === 'ENOENT') return undefined
    const hint =
      code === 'ENOTDIR' || code === 'EISDIR' ? 'name another folder' : 'check who owns it and its permissions'
    throw new HelperError('refused', toOneLine(`${path} cannot be read (${code})`), hint, { cause })
  }
}

/** Describes how to complete a folder that lacks answers. */
export function describeCompletion(directory: string, open: readonly string[]): string {
  const options = open.map((name) => ` --${name} …`).join('')
  return `register what registration.md says, then: ${programName} setup ${quoteForHint(directory)} --write${options}`
}
