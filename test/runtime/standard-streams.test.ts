import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { writeInThread } from '../../src/runtime/standard-streams.ts'
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
  const long = 'é1234567'.repeat(40_000)
  // Into a file, because nobody reads the output of a child while this process writes.
  const reader = execa('sh', ['-c', `sleep 0.1; head -c ${Buffer.byteLength(long)} "$0" >"$0.read"`, path])
  await Promise.all([writeInThread(file, long), reader])
  expect(await readFile(`${path}.read`, 'utf8')).toBe(long)
})

test("any other failure is reported by the system's code", async () => {
  const { path } = await openPipe()
  const unwritable = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(unwritable))
  await expect(writeInThread(unwritable, 'x')).rejects.toEqual(expect.objectContaining({ code: 'EBADF' }))
})

/** Writes to streams of which one may be full and without a reader, and tells what happened on the other one. */
const script = `
const { createStreams } = await import(process.argv[1])
const streams = createStreams({ attached: () => 'pipe', columns: () => undefined })
const long = 'x'.repeat(200_000)
`

async function runStreams(body: string, given: { stdout?: number; stderr?: number; env?: NodeJS.ProcessEnv }) {
  const module = join(root, 'src', 'runtime', 'standard-streams.ts')
  const end = 'process.execve("/bin/sh", ["sh", "-c", "exit 3"], {})'
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${script};${body};${end}`, module], {
    stdio: ['ignore', given.stdout ?? 'pipe', given.stderr ?? 'pipe'],
    env: { ...given.env },
    timeout: 10_000,
    killSignal: 'SIGKILL',
  })
  const read = async (stream: Readable | null) => (stream ? text(stream) : '')
  const [[exitCode], stdout, stderr] = await Promise.all([once(child, 'exit'), read(child.stdout), read(child.stderr)])
  return { exitCode, stdout, stderr }
}

const sayAndPrint = "streams.stderr(long); await streams.stdout('token', 'finished'); await streams.flush()"

test('a stderr that nobody reads is given up, and stdout has its text', async () => {
  expect(await runStreams(sayAndPrint, { stderr: (await openPipe()).file })).toMatchObject({
    exitCode: 3,
    stdout: 'token',
  })
})

test('a stdout that nobody reads blocks no timer', async () => {
  const print = "streams.stdout(long, 'finished'); await new Promise((resolve) => setTimeout(resolve, 50))"
  expect(
    await runStreams(`${print}; streams.stderr('late'); await streams.flush()`, { stdout: (await openPipe()).file }),
  ).toMatchObject({
    exitCode: 3,
    stderr: 'late',
  })
})

test('where every thread is stuck, both are written all the same', async () => {
  const { path } = await openPipe()
  const stick = `(await import('node:fs')).open(${JSON.stringify(path)} + '-2', () => {})`
  execFileSync('mkfifo', [`${path}-2`])
  const write = "streams.stderr('one '); streams.stderr('two'); await streams.stdout('token', 'abandoned')"
  const env = { UV_THREADPOOL_SIZE: '1' }
  expect(await runStreams(`${stick}; ${write}; await streams.flush()`, { env })).toEqual({
    exitCode: 3,
    stdout: 'token',
    stderr: 'one two',
  })
})
