import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { HelperError } from '../../../../src/runtime/failure.ts'
import { readHeadersFile } from '../../../../src/runtime/outcome/sender/read-headers-file.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

async function read(text: string, mode = 0o600) {
  const path = join(await temporaryDirectory(), 'headers')
  await writeFile(path, text)
  await chmod(path, mode)
  return readHeadersFile(path).then(
    (headers) => headers.map(([name, value]) => `${name}=${value.reveal()}`),
    ({ kind, message, hint }: HelperError) => `${kind}: ${message} (${hint})`.replaceAll(path, 'FILE'),
  )
}

test('each line is a header, with the line ends of any system', async () => {
  expect(await read('Authorization: Bearer a:b\r\n\n x-tenant :  7\n')).toEqual([
    'Authorization=Bearer a:b',
    'x-tenant=7',
  ])
})

test.each([0o644, 0o640, 0o660, 0o602])('a file of the mode %d is not read', async (mode) => {
  expect(await read('A: b', mode)).toBe(
    "not-configured: the headers in FILE can be read or changed by others (run: chmod 600 'FILE')",
  )
})

test.each(['canary', ': canary', 'A b: canary', 'A: canary\u0001', 'A:'])(
  '%j is no header, and is not repeated',
  async (line) => {
    expect(await read(`X: y\n${line}\n`)).toBe(
      "not-configured: line 2 of FILE is no header that can be sent (write each header as 'Name: value')",
    )
  },
)

test('a missing file is named', async () => {
  await expect(readHeadersFile('/nonexistent/headers')).rejects.toMatchObject({
    message: 'cannot read /nonexistent/headers (ENOENT)',
  })
})
