import { readFile, stat } from 'node:fs/promises'
import type { StaticCredential } from '../../../config/document.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { InitFlags } from './flags.ts'
import { type Interview, resolveAnswer } from './question.ts'

/** An API key from a file: on a command line or a screen, others would see it. */
export async function collectStaticKey(interview: Interview, flags: InitFlags): Promise<StaticCredential> {
  const { apiKeyFile, authScheme } = flags
  const path = await resolveAnswer(
    interview,
    { flag: '--api-key-file', words: 'File that holds the API key', findProblem: findKeyProblem },
    apiKeyFile,
  )
  const apiKey = await readKey(path)
  if (!('key' in apiKey)) throw new HelperError('usage', apiKey.problem, 'name a file that holds the key alone')
  return { kind: 'static', apiKey: apiKey.key, ...(authScheme && { authScheme }) }
}

async function findKeyProblem(path: string): Promise<string | undefined> {
  const found = await readKey(path)
  return 'key' in found ? undefined : found.problem
}

/** More than any key has. */
const maxKeyBytes = 16 * 1024

async function readKey(path: string): Promise<{ key: string } | { problem: string }> {
  try {
    const status = await stat(path)
    if (!status.isFile() || status.size > maxKeyBytes) return { problem: `${path} is no file with an API key` }
    const key = (await readFile(path, 'utf8')).trim()
    return /^[\x21-\x7e]+$/.test(key) ? { key } : { problem: `${path} does not hold one key alone` }
  } catch (cause) {
    return { problem: `${path} cannot be read (${(cause as NodeJS.ErrnoException).code})` }
  }
}
