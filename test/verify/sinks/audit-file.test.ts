import { execFileSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdir, open as openHandle, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
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

test('a removed file is reported, and the lines go to a new one', async () => {
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

test('the audit fails while a directory has the name of a removed file', async () => {
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

/** Starts a disk that hangs: every thread that the runtime has for the disk opens a pipe, which waits until somebody writes to it. */
async function startHangingDisk() {
  const pipe = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [pipe])
  const threads = Number(process.env.UV_THREADPOOL_SIZE ?? 4)
  const waiting = Array.from({ length: threads }, () => openHandle(pipe))
  const answer = async () => {
    const writer = openSync(pipe, 'r+')
    for (const handle of await Promise.all(waiting)) await handle.close()
    closeSync(writer)
  }
  return { answer }
}

test('a disk that takes no line for five seconds is a failure until it does', async () => {
  const { path, troubles, sink } = await openWithTroubles()
  const disk = await startHangingDisk()
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const states: boolean[] = []
  for (const [line, laterMs] of [
    ['one\n', 0],
    ['two\n', 5_000],
    ['three\n', 1],
  ] as const) {
    vi.advanceTimersByTime(laterMs)
    sink.write(line)
    await setImmediate()
    states.push(sink.isFailing())
  }
  await disk.answer()
  await sink.close()
  expect({ states: [...states, sink.isFailing()], troubles, text: await readFile(path, 'utf8') }).toEqual({
    states: [false, false, true, false],
    troubles: [`${path} is written too slowly`],
    text: 'one\ntwo\nthree\n',
  })
})
