import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unwaitingFlags } from '../../runtime/disk.ts'
import { findErrorCode, HelperError, renderErrorCode } from '../../runtime/failure.ts'
import { describeLook, ownSystem, quoteForHint } from '../../runtime/text/quote.ts'
import { programName } from '../../version.ts'
import { checkWriters } from './check-writers.ts'
import type { KeyFile } from './key-files.ts'
import { listKeyFiles, type PolicyReading, parsePolicy } from './parse-policy.ts'
import type { Policy } from './policy.ts'
import { type PolicyFinding, type PolicyProblem, toPolicyFinding } from './policy-finding.ts'
import { policyLimits } from './policy-limits.ts'

/** A policy file and the key files that it names, read at one time. */
export interface PolicyFile extends PolicyReading {
  /** The SHA-256 of all files in hexadecimal; every change gives another one. */
  readonly digest: string
}

/** Reads a policy file and the key files that it names. Never throws: problems are findings. */
export async function readPolicyFile(path: string, writers: Writers): Promise<PolicyFile> {
  const content = await readBoundedFile(path, writers)
  if (content instanceof Uint8Array) return readPolicyText(content, path, writers)
  return { policy: undefined, findings: [content], digest: digestFiles(new Map([['', content]])) }
}

/**
 * Reads a policy from its text, and the key files that it names from the directory of its path.
 * @param path `-` for standard input, whose key files are in the current directory.
 */
export async function readPolicyText(content: Uint8Array, path: string, writers: Writers): Promise<PolicyFile> {
  const keyFiles = new Map<string, KeyFile>()
  for (const name of listKeyFiles(content))
    keyFiles.set(name, await readBoundedFile(join(dirname(path), name), writers))
  return { ...parsePolicy(content, keyFiles, path), digest: digestFiles(new Map([['', content], ...keyFiles])) }
}

/** @throws {HelperError} `not-configured` for a policy with errors. */
export function requirePolicy(path: string, { policy, findings }: PolicyReading): Policy {
  if (policy) return policy
  const [first, ...others] = findings.filter(({ severity }) => severity === 'error')
  const isOfFile = first?.path === '' && others.length === 0
  throw new HelperError(
    'not-configured',
    `the policy ${path} cannot be used: ${describePolicyErrors(findings)}`,
    // `gatepass gateway policy check` would add nothing about a missing file, or about one that others can write.
    isOfFile
      ? first.hint
      : `see everything that is wrong: ${programName} gateway policy check --here ${quoteForHint(path)}`,
  )
}

/** Describes the errors among findings in one line, the first three of them. */
export function describePolicyErrors(findings: readonly PolicyFinding[]): string {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const shown = errors.slice(0, 3).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  const more = errors.length > shown.length ? `; and ${errors.length - shown.length} more` : ''
  return `${shown.join('; ')}${more}`
}

function digestFiles(files: ReadonlyMap<string, KeyFile>): string {
  const hash = createHash('sha256')
  for (const [name, content] of files) {
    const bytes = content instanceof Uint8Array ? content : Buffer.from(content.message)
    hash.update(`${JSON.stringify(name)} ${bytes.length}\n`).update(bytes)
  }
  return hash.digest('hex')
}

/** The permitted writers of a file: anybody if it is only checked, only its owner if it decides who passes. */
type Writers = 'anybody' | 'its owner'

/**
 * Reads the bytes of a file, or returns the problem. Never throws.
 * @param mostBytes One more byte of a longer file is read. The default is the limit of a policy.
 */
export async function readBoundedFile(
  path: string,
  writers: Writers,
  mostBytes: number = policyLimits.fileBytes,
): Promise<Uint8Array | PolicyFinding> {
  try {
    const file = await open(path, unwaitingFlags)
    try {
      const problem = await checkFile(path, file, writers)
      return problem ? toPolicyFinding(problem, '') : await readBytes(file, mostBytes)
    } finally {
      await file.close()
    }
  } catch (cause) {
    return toPolicyFinding(describeReadError(path, cause), '')
  }
}

async function checkFile(path: string, file: FileHandle, writers: Writers): Promise<PolicyProblem | undefined> {
  const status = await file.stat()
  if (status.isFile()) return writers === 'anybody' ? undefined : checkWriters(path, status)
  return { code: 'file-unreadable', message: `${path} is not a file`, hint: 'name a file' }
}

async function readBytes(file: FileHandle, mostBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for (let total = 0; total <= mostBytes; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024))
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(chunks).subarray(0, mostBytes + 1)
}

/** Describes why the system did not read a file. */
export function describeReadError(path: string, cause: unknown): PolicyProblem {
  if (findErrorCode(cause) === 'ENOENT')
    return { code: 'file-unreadable', message: `there is no ${path}`, hint: 'check the path, and put the file there' }
  const message = `${path} cannot be read (${renderErrorCode(cause)})`
  return { code: 'file-unreadable', message, hint: `see who may read it: ${describeLook(path, ownSystem)}` }
}
