import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readListing } from '../page.ts'

/** Runs the program of the page, which writes each key of an issuer into a file. */
export async function writeKeys(jwksUrl: string, directory: string): Promise<void> {
  const program = join(directory, 'keys.mjs')
  await writeFile(program, readListing({ page: 'haproxy', heading: 'With jwt_verify alone', path: 'keys.mjs' }))
  await promisify(execFile)(process.execPath, [program, jwksUrl, directory])
}
