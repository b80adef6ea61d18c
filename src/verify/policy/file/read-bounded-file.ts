import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createPolicyFinding, type PolicyFinding, type PolicyProblem } from '../finding.ts'
import { policyLimits } from '../limits.ts'
import { findWriteProblem } from './find-write-problem.ts'

/** Who may be able to write a file: anybody where it is looked at alone, and its owner alone where it decides who passes. */
export type Writers = 'anybody' | 'its owner'

/** Reads a file: its bytes, at most one more than a policy may have, or what is wrong. Never throws. */
export async function readBoundedFile(path: string, writers: Writers): Promise<Uint8Array | PolicyFinding> {
  try {
    // Opening a pipe would wait for its other end.
    const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const problem = await findProblem(path, file, writers)
      return problem ? toFinding(problem) : await readBytes(file)
    } finally {
      await file.close()
    }
  } catch (cause) {
    return toFinding(describeError(path, (cause as NodeJS.ErrnoException).code))
  }
}

async function findProblem(path: string, file: FileHandle, writers: Writers): Promise<PolicyProblem | undefined> {
  const status = await file.stat()
  if (status.isFile()) return writers === 'anybody' ? undefined : findWriteProblem(path, status)
  return { code: 'file-unreadable', message: `${path} is not a file`, hint: 'name a file' }
}

async function readBytes(file: FileHandle): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for (let total = 0; total <= policyLimits.fileBytes; ) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(64 * 1024))
    if (bytesRead === 0) break
    chunks.push(buffer.subarray(0, bytesRead))
    total += bytesRead
  }
  return Buffer.concat(chunks).subarray(0, policyLimits.fileBytes + 1)
}

function describeError(path: string, code = 'unknown error'): PolicyProblem {
  if (code === 'ENOENT')
    return { code: 'file-unreadable', message: `there is no ${path}`, hint: 'check the path, and put the file there' }
  const message = `${path} cannot be read (${code})`
  return { code: 'file-unreadable', message, hint: `see who may read it: ls -ld '${path}'` }
}

function toFinding({ code, message, hint }: PolicyProblem): PolicyFinding {
  return createPolicyFinding(code, '', message, hint)
}
