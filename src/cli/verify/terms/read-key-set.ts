import type { JSONWebKeySet } from 'jose'
import { longestFileBytes, readText } from '../../../runtime/disk.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { parseObject } from '../../../runtime/parse-object.ts'
import { parseKeySet } from '../../../verify/jwt/key-set/parse-key-set.ts'

/**
 * Reads the public keys of an issuer from a file: a key set (RFC 7517), or one key of one.
 * @throws {HelperError} `usage` for a file that holds none.
 */
export async function readKeySet(path: string): Promise<JSONWebKeySet> {
  const value = parseObject(await readFileText(path))
  const set = value?.kty === undefined ? value : { keys: [value] }
  const parsed = parseKeySet(set)
  if ('keys' in parsed) return set as unknown as JSONWebKeySet // it was parsed as one
  throw new HelperError(
    'usage',
    `the file of --keys ${parsed.problem}`,
    'name a file with a JSON Web Key Set, as issuers publish it',
  )
}

async function readFileText(path: string): Promise<string> {
  try {
    return await readText(path)
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    const problem =
      code === 'EFBIG' ? `is longer than ${longestFileBytes / 1024 / 1024} MiB` : `cannot be read (${code})`
    throw new HelperError('usage', `the file of --keys ${problem}`, 'check the path', { cause })
  }
}
