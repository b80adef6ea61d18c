import { chmod, chown, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { readHeadersFile } from '../../src/outcomes/read-headers-file.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { isRoot } from '../setup/unprivileged.ts'

async function read(text: string, mode = 0o600, owner?: number) {
  const path = join(await temporaryDirectory(), 'headers')
  await writeFile(path, text)
  await chmod(path, mode)
  if (owner !== undefined) await chown(path, owner, owner)
  return readFrom(path)
}

function readFrom(path: string) {
  return readHeadersFile(path).then(
    (headers) => headers.map(([name, value]) => `${name}=${value.reveal()}`),
    ({ kind, message, hint }: HelperError) => `${kind}: ${message} (${hint})`.replaceAll(path, 'FILE'),
  )
}

test('each line is a header, with the line ends of any system, after the mark of an editor or without', async () => {
  expect(await read('\uFEFFAuthorization: Bearer a:b\r\n\n x-tenant :  7\n')).toEqual([
    'Authorization=Bearer a:b',
    'x-tenant=7',
  ])
})

test.each([0o644, 0o660, 0o650, 0o602])('a file of the mode %d is not read', async (mode) => {
  const best = isRoot ? '640' : '600'
  expect(await read('A: b', mode)).toBe(
    `not-configured: the headers in FILE can be read or changed by others (run: chmod ${best} 'FILE')`,
  )
})

test.runIf(isRoot)('a group may read a file of root, but not one of another user', async () => {
  expect(await read('A: b', 0o640)).toEqual(['A=b'])
  expect(await read('A: b', 0o600, 65_534)).toBe(
    'not-configured: FILE belongs to another user (name a file of this user or of root in otlp-headers-file)',
  )
})

test('a link is not read', async () => {
  const link = join(await temporaryDirectory(), 'link')
  await symlink('/etc/hostname', link)
  expect(await readFrom(link)).toBe('not-configured: FILE is a link (name the file itself in otlp-headers-file)')
})

test.each(['pipe', '.'])('a path that is not a regular file is not read: %s', async (name) => {
  const home = await temporaryDirectory()
  await execa('mkfifo', ['-m', '600', join(home, 'pipe')])
  expect(await readFrom(join(home, name))).toBe(
    'not-configured: FILE is not a regular file (name a file in otlp-headers-file)',
  )
})

test.each(['canary', ': canary', 'A b: canary', 'A: canary\u0001', 'A:'])(
  '%j is not a header, and is not repeated',
  async (line) => {
    expect(await read(`X: y\n\n${line}\n`)).toBe(
      "not-configured: line 3 of FILE is not a header that can be sent (write each header as 'Name: value')",
    )
  },
)

test('a missing file is named', async () => {
  await expect(readHeadersFile('/nonexistent/headers')).rejects.toEqual(
    new HelperError('not-configured', 'cannot read /nonexistent/headers (ENOENT)', 'correct otlp-headers-file'),
  )
})
