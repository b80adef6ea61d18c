import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { writeFully } from '../../src/runtime/host.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** A pipe as a parent may hand it over: writing to it when it is full fails with `EAGAIN`. */
async function openPipe() {
  const path = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const file = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(file))
  return { path, file }
}

test('a text that is longer than the pipe is written whole, though its reader is slow and the pipe does not wait', async () => {
  const { path, file } = await openPipe()
  const text = 'é1234567'.repeat(40_000)
  // Into a file, because nobody reads the output of a child while this process writes.
  const reader = execa('sh', ['-c', `sleep 0.1; head -c ${Buffer.byteLength(text)} "$0" >"$0.read"`, path])
  writeFully(file, text)
  await reader
  expect(await readFile(`${path}.read`, 'utf8')).toBe(text)
})

test("any other failure is reported by the system's code", async () => {
  const { path } = await openPipe()
  const unwritable = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(unwritable))
  expect(() => writeFully(unwritable, 'x')).toThrow(expect.objectContaining({ code: 'EBADF' }))
})
