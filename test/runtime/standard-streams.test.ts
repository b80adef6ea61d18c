import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { Outlet } from '../../src/runtime/standard-streams.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Opens a pipe that no process has open at its other end, and that holds what is written to it until somebody reads. */
async function openPipe(flags = 0) {
  const path = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const file = openSync(path, constants.O_RDWR | flags)
  onTestFinished(() => closeSync(file))
  return { path, file }
}

/** Opens the writing end of a pipe whose reader has gone. */
async function openBrokenPipe() {
  const path = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const file = openSync(path, constants.O_WRONLY)
  closeSync(reader)
  onTestFinished(() => closeSync(file))
  return file
}

/** As a parent may hand one over: writing to it when it is full fails with `EAGAIN`. */
const openImpatientPipe = () => openPipe(constants.O_NONBLOCK)

const withFreeThread = { isThreadFree: async () => true, open: () => new PassThrough() }

test('a text that is longer than the pipe is written whole, though its reader is slow and the pipe does not wait', async () => {
  const { path, file } = await openImpatientPipe()
  const long = 'é1234567'.repeat(40_000)
  // Into a file, because nobody reads the output of a child while this process writes.
  const reader = execa('sh', ['-c', `sleep 0.1; head -c ${Buffer.byteLength(long)} "$0" >"$0.read"`, path])
  await Promise.all([new Outlet(file, withFreeThread).write(long), reader])
  expect(await readFile(`${path}.read`, 'utf8')).toBe(long)
})

test.each(['free', 'busy'])(
  "any other failure is reported by the system's code, where threads are %s",
  async (threads) => {
    const unwritable = openSync('/dev/null', constants.O_RDONLY)
    onTestFinished(() => closeSync(unwritable))
    const outlet = new Outlet(unwritable, { ...withFreeThread, isThreadFree: async () => threads === 'free' })
    expect(await outlet.write('x').catch(({ message }) => message)).toBe('EBADF: bad file descriptor, write')
  },
)

/** Writes to streams of which one may be full and without a reader, and tells what happened on the other one. */
const script = `
const { createHost } = await import(process.argv[1])
const { open, openSync } = await import('node:fs')
const { setTimeout: sleep } = await import('node:timers/promises')
const { streams } = createHost()
const long = 'x'.repeat(200_000)
`

async function runStreams(body: string, given: { stdout?: number; stderr?: number; env?: NodeJS.ProcessEnv }) {
  const module = join(root, 'src', 'runtime', 'host.ts')
  const end = 'process.execve("/bin/sh", ["sh", "-c", "exit 3"], {})'
  const child = spawn(process.execPath, ['--input-type=module', '--eval', `${script};${body};${end}`, module], {
    stdio: ['ignore', given.stdout ?? 'pipe', given.stderr ?? 'pipe'],
    env: { ...given.env },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const read = async (stream: Readable | null) => (stream ? text(stream) : '')
  const [[exitCode], stdout, stderr] = await Promise.all([once(child, 'exit'), read(child.stdout), read(child.stderr)])
  return { exitCode, stdout, stderr }
}

test('a stderr that nobody reads is given up, and stdout has its text', async () => {
  const say = "streams.stderr(long); await streams.stdout('token'); await streams.stdout(await streams.flush(100))"
  expect(await runStreams(say, { stderr: (await openPipe()).file })).toEqual({
    stderr: '',
    exitCode: 3,
    stdout: 'tokenabandoned',
  })
})

test('a stdout that nobody reads blocks no timer', async () => {
  const print = 'streams.stdout(long); await sleep(50)'
  expect(
    await runStreams(`${print}; streams.stderr('late'); await streams.flush()`, { stdout: (await openPipe()).file }),
  ).toEqual({ stdout: '', exitCode: 3, stderr: 'late' })
})

/** Keeps the one thread of a process busy until `free` is called. */
async function occupyThread() {
  const { path } = await openPipe()
  const stuck = JSON.stringify(`${path}-2`)
  execFileSync('mkfifo', [`${path}-2`])
  return {
    occupy: `open(${stuck}, () => {}); const free = () => openSync(${stuck}, 'r+')`,
    env: { UV_THREADPOOL_SIZE: '1' },
  }
}

const sayAll = "streams.stderr('one '); streams.stderr('two'); await streams.stdout('token')"
const everything = { exitCode: 3, stdout: 'token', stderr: 'one two' }

test('both streams are written although every thread is stuck', async () => {
  const { occupy, env } = await occupyThread()
  expect(await runStreams(`${occupy}; ${sayAll}; await streams.flush()`, { env })).toEqual(everything)
})

test('both streams are written where the runtime does not say what it is stuck in', async () => {
  const { path } = await openPipe()
  const stuck = JSON.stringify(`${path}-2`)
  execFileSync('mkfifo', [`${path}-2`])
  const occupy = `(await import('node:fs/promises')).readFile(${stuck}).catch(() => {})`
  const listed = "if (process.getActiveResourcesInfo().length > 0) streams.stderr('it says so ')"
  const env = { UV_THREADPOOL_SIZE: '1' }
  expect(await runStreams(`${occupy}; await sleep(50); ${listed}; ${sayAll}; await streams.flush()`, { env })).toEqual(
    everything,
  )
})

test('a text that every thread was too busy for is not written again when one is free', async () => {
  const { occupy, env } = await occupyThread()
  const late = 'setTimeout(free, 300); await streams.flush(150); await sleep(400); await streams.flush()'
  expect(await runStreams(`${occupy}; ${sayAll}; ${late}`, { env })).toEqual(everything)
})

test('a text behind other work of the only thread is not lost', async () => {
  const { occupy, env } = await occupyThread()
  const say = "streams.stderr('one two'); const printing = streams.stdout('token')"
  expect(await runStreams(`${say}; ${occupy}; await printing; await streams.flush()`, { env })).toEqual(everything)
})

test('a text is given up where every thread is stuck and nobody reads', async () => {
  const { occupy, env } = await occupyThread()
  const say = 'streams.stderr(long); await streams.stdout(await streams.flush(100))'
  expect(await runStreams(`${occupy}; ${say}`, { env, stderr: (await openPipe()).file })).toEqual({
    stderr: '',
    exitCode: 3,
    stdout: 'abandoned',
  })
})

test('a reader who has gone is reported where every thread is stuck', async () => {
  const { occupy, env } = await occupyThread()
  const print = 'await streams.stdout(long).catch(({ code }) => streams.stderr(code))'
  const file = await openBrokenPipe()
  expect(await runStreams(`${occupy}; ${print}; await streams.flush()`, { env, stdout: file })).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: 'EPIPE',
  })
})

test.runIf(process.platform === 'linux')('a pipe that others share waits for its reader as before', async () => {
  const { occupy, env } = await occupyThread()
  const { file } = await openPipe()
  await runStreams(`${occupy}; streams.stderr('one'); await streams.flush()`, { env, stderr: file })
  const flags = /^flags:\t(\d+)$/m.exec(await readFile(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1]
  expect(Number.parseInt(flags!, 8) & constants.O_NONBLOCK).toBe(0)
})
