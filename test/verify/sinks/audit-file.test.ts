import { mkdir, open as openHandle, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openAuditFile } from '../../../src/verify/sinks/audit-sinks.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

async function openWithTroubles() {
  const path = join(await temporaryDirectory(), 'audit.jsonl')
  const troubles: string[] = []
  return { path, troubles, sink: await openAuditFile(path, (cause) => troubles.push(cause)) }
}

test('a rotated file is opened again', async () => {
  const { path, troubles, sink } = await openWithTroubles()
  sink.write('one\n')
  await rename(path, `${path}.1`)
  sink.reopen()
  sink.write('two\n')
  await sink.close()
  const { mode } = await stat(path)
  const texts = [await readFile(`${path}.1`, 'utf8'), await readFile(path, 'utf8')]
  expect({ mode: mode & 0o777, texts, troubles, isFailing: sink.isFailing() }).toEqual({
    mode: 0o600,
    texts: ['one\n', 'two\n'],
    troubles: [],
    isFailing: false,
  })
})

test('a file that was removed is told of, and the lines go to a new one', async () => {
  const { path, troubles, sink } = await openWithTroubles()
  await rm(path)
  sink.write('one\n')
  await sink.close()
  const { mode } = await stat(path)
  expect({ mode: mode & 0o777, text: await readFile(path, 'utf8'), troubles, lost: sink.lost() }).toEqual({
    mode: 0o600,
    text: 'one\n',
    troubles: [`${path} was removed, and with it what was written to it`],
    lost: 0,
  })
})

test('while a directory has the name of a removed file the audit fails, and no line counts as written', async () => {
  const { path, troubles, sink } = await openWithTroubles()
  await rm(path)
  await mkdir(path)
  sink.write('one\n')
  await expect.poll(() => sink.lost()).toBe(1)
  sink.write('two\n')
  await expect.poll(() => sink.lost()).toBe(2)
  const isFailing = sink.isFailing()
  await rm(path, { recursive: true })
  sink.write('three\n')
  await expect.poll(() => sink.isFailing()).toBe(false)
  await sink.close()
  expect({ isFailing, text: await readFile(path, 'utf8'), last: troubles[1] }).toEqual({
    isFailing: true,
    text: 'three\n',
    last: `the audit ${path} cannot be written (EISDIR)`,
  })
})

test('a disk that takes no line for five seconds is a failure until it does, and nothing is lost', async () => {
  const { path, troubles, sink } = await openWithTroubles()
  const disk = Promise.withResolvers<void>()
  const handle = await openHandle(path)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  const { appendFile } = prototype
  const hanging = vi.spyOn(prototype, 'appendFile')
  hanging.mockImplementation(async function (this: unknown, ...given: unknown[]) {
    await disk.promise
    return appendFile.apply(this, given)
  })
  const clock = vi.spyOn(performance, 'now')
  clock.mockReturnValue(10_000)
  sink.write('one\n')
  await expect.poll(() => hanging.mock.calls.length).toBe(1)
  sink.write('two\n')
  const states = [sink.isFailing()]
  clock.mockReturnValue(15_001)
  sink.write('three\n')
  states.push(sink.isFailing())
  clock.mockRestore()
  disk.resolve()
  await sink.close()
  hanging.mockRestore()
  expect({ states: [...states, sink.isFailing()], troubles, text: await readFile(path, 'utf8') }).toEqual({
    states: [false, true, false],
    troubles: [`${path} is written too slowly`],
    text: 'one\ntwo\nthree\n',
  })
})
