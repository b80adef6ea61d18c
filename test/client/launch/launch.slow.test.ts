import { chmod, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { type Launched, launch } from '../../../src/client/launch/launch.ts'
import { parseOutput } from '../../../src/contract/output.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Enough for any of these scripts; a script that reaches it does so on purpose. */
const longMs = 20_000

async function runScript(script: string, { env = {}, timeoutMs = longMs, args = [] as string[] } = {}) {
  return toOutcome(await launch({ file: process.execPath, args: ['-e', script, ...args] }, env, timeoutMs))
}

/** Returns the outcome with its bytes as text and without its duration. */
function toOutcome({ durationMs: _, stdout, ...outcome }: Launched) {
  return { ...outcome, stdout: Buffer.from(stdout).toString() }
}

const quiet = { stdout: '', stderr: '', survivors: 'none' }
const done = { ...quiet, ended: { how: 'exited', status: 0 } }

/** Returns a shell's loop that goes on touching a file until somebody ends it, and holds the pipes unless it closes them. */
const beat = (path: string) => `while :; do printf . >> '${path}'; sleep 0.02; done`

async function runShell(script: string) {
  return toOutcome(await launch({ file: '/bin/sh', args: ['-c', script] }, { PATH: '/usr/bin:/bin' }, 700))
}

/** Fails if a process still touches the file. */
async function expectSilence(path: string): Promise<void> {
  await pause(50)
  const { size } = await stat(path)
  await pause(100)
  expect((await stat(path)).size).toBe(size)
}

test('reports the exit status, with stdout and stderr apart', async () => {
  expect(await runScript('process.stdout.write("out"); process.stderr.write("err"); process.exitCode = 3')).toEqual({
    ...quiet,
    ended: { how: 'exited', status: 3 },
    stdout: 'out',
    stderr: 'err',
  })
})

test('reports the signal that ended the process', async () => {
  expect(await runScript('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)')).toEqual({
    ...quiet,
    ended: { how: 'signal', signal: 'SIGTERM' },
  })
})

test('says that the program does not exist', async () => {
  const outcome = await launch({ file: '/nonexistent/helper', args: [] }, {}, longMs)
  expect(toOutcome(outcome)).toEqual({ ...quiet, ended: { how: 'not-started', code: 'ENOENT' } })
})

test('says that a file is not executable', async () => {
  const file = join(await temporaryDirectory(), 'helper')
  await writeFile(file, '#!/bin/sh\necho token\n', { mode: 0o600 })
  expect(toOutcome(await launch({ file, args: [] }, {}, longMs))).toEqual({
    ...quiet,
    ended: { how: 'not-started', code: 'EACCES' },
  })
})

test('says that the interpreter of a script is missing', async () => {
  const file = join(await temporaryDirectory(), 'helper')
  await writeFile(file, '#!/nonexistent/shell\n')
  await chmod(file, 0o700)
  expect(toOutcome(await launch({ file, args: [] }, {}, longMs))).toEqual({
    ...quiet,
    ended: { how: 'not-started', code: 'ENOENT' },
  })
})

test('stdout arrives byte for byte, whatever the bytes are', async () => {
  const script = 'process.stdout.write(Buffer.from([0xef, 0xbb, 0xbf, 0x74, 0, 0xff, 0x0d, 0x0a, 0x0a]))'
  const { stdout } = await launch({ file: process.execPath, args: ['-e', script] }, {}, longMs)
  expect([...stdout]).toEqual([0xef, 0xbb, 0xbf, 0x74, 0, 0xff, 0x0d, 0x0a, 0x0a])
})

test('a stdout of 8 MiB arrives whole', async () => {
  const script = 'process.stdout.write("t" + " ".repeat(8 * 1024 * 1024 - 1))'
  const { stdout, ended } = await launch({ file: process.execPath, args: ['-e', script] }, {}, longMs)
  expect({ ended, parsed: parseOutput(stdout) }).toEqual({
    ended: { how: 'exited', status: 0 },
    parsed: { ok: true, output: { token: 't', headers: {} }, warnings: [] },
  })
})

test('a process that prints endlessly is ended at once', async () => {
  const script = `
    process.on("SIGTERM", () => {})
    process.on("uncaughtException", () => setInterval(() => {}, 1000))
    for (;;) require("fs").writeSync(1, " ".repeat(65536))`
  const { stdout, ended, durationMs } = await launch({ file: process.execPath, args: ['-e', script] }, {}, longMs)
  expect({ ended, length: stdout.length, parsed: parseOutput(stdout) }).toEqual({
    ended: { how: 'flooded' },
    length: 8 * 1024 * 1024 + 1,
    parsed: { ok: false, reason: 'too-large', message: 'stdout holds more than a client reads' },
  })
  expect(durationMs).toBeLessThan(longMs)
})

test('the last 64 KiB of a long stderr are kept', async () => {
  const { stderr } = await runScript('process.stderr.write("a".repeat(200_000) + "z")')
  expect(stderr).toBe(`${'a'.repeat(64 * 1024 - 1)}z`)
})

test('a process that hangs is killed at the timeout, also when it ignores polite signals', async () => {
  const startedAt = Date.now()
  const outcome = await runScript(
    'process.on("SIGTERM", () => {}); process.stderr.write("waiting"); setInterval(() => {}, 1000)',
    { timeoutMs: 500 },
  )
  expect(outcome).toEqual({ ...quiet, ended: { how: 'timeout', process: 'killed' }, stderr: 'waiting' })
  expect(Date.now() - startedAt).toBeLessThan(longMs)
})

test('a descendant that survives the timeout and holds the pipes is reported and ended', async () => {
  const path = join(await temporaryDirectory(), 'beat')
  const outcome = await runShell(`${beat(path)} & wait`)
  expect(outcome).toEqual({ ...quiet, ended: { how: 'timeout', process: 'killed' }, survivors: 'ended' })
  await expectSilence(path)
})

test('a descendant that survives the timeout without the pipes is reported and ended', async () => {
  const path = join(await temporaryDirectory(), 'beat')
  const outcome = await runShell(`{ ${beat(path)}; } > /dev/null 2>&1 & wait`)
  expect(outcome).toEqual({ ...quiet, ended: { how: 'timeout', process: 'killed' }, survivors: 'ended' })
  await expectSilence(path)
})

test('a helper that ends at once but leaves a process that holds stdout keeps the client waiting', async () => {
  const path = join(await temporaryDirectory(), 'beat')
  const outcome = await runShell(`echo token; ${beat(path)} &`)
  expect(outcome).toEqual({ ...quiet, ended: { how: 'timeout', process: 'exited' }, survivors: 'ended' })
  await expectSilence(path)
})

test('a descendant in a session of its own cannot be ended and does not keep the client waiting for ever', async () => {
  const far = 'setTimeout(() => {}, 60_000)'
  const near = `require("child_process").spawn(process.execPath, ["-e", "${far}"], { stdio: "inherit", detached: true })`
  const { durationMs, ...outcome } = await launch({ file: process.execPath, args: ['-e', near] }, {}, 1500)
  expect({ ...outcome, stdout: outcome.stdout.length }).toEqual({
    ended: { how: 'timeout', process: 'killed' },
    stdout: 0,
    stderr: '',
    survivors: 'out-of-reach',
  })
  expect(durationMs).toBeLessThan(longMs)
})

test('a background process that has closed the pipes is not a finding and lives on', async () => {
  const path = join(await temporaryDirectory(), 'late')
  expect(await runShell(`{ sleep 0.3; echo x > '${path}'; } > /dev/null 2>&1 &`)).toEqual(done)
  await vi.waitFor(() => stat(path), { timeout: 5000 })
})

test('stdin is empty', async () => {
  const script = 'process.stdin.on("data", () => {}).on("end", () => process.stdout.write("end"))'
  expect(await runScript(script)).toEqual({ ...done, stdout: 'end' })
})

test('the working directory is the root', async () => {
  expect(await runScript('process.stdout.write(process.cwd())')).toEqual({ ...done, stdout: '/' })
})

test('the process leads a session of its own, without a terminal', async () => {
  const script = `
    const { readFileSync, openSync } = require("fs")
    const [, , group, session] = readFileSync("/proc/self/stat", "latin1").split(") ")[1].split(" ")
    let terminal = "open"
    try { openSync("/dev/tty", "r+") } catch (error) { terminal = error.code }
    console.log(JSON.stringify({ terminal, leads: [group, session].every((id) => Number(id) === process.pid) }))`
  expect(await runScript(script)).toEqual({ ...done, stdout: '{"terminal":"ENXIO","leads":true}\n' })
})

test('the environment is exactly the one given', async () => {
  vi.stubEnv('GATEPASS_TEST_OURS', 'x')
  const env = { A: 'a b', EMPTY: '', LEFT_OUT: undefined, ÜMLAUT: 'ö' }
  const outcome = await runScript('process.stdout.write(JSON.stringify(process.env))', { env: env as never })
  vi.unstubAllEnvs()
  expect({ ...outcome, stdout: JSON.parse(outcome.stdout) }).toEqual({
    ...done,
    stdout: { A: 'a b', EMPTY: '', ÜMLAUT: 'ö' },
  })
})

test('arguments arrive as they are, past every shell', async () => {
  const args = ['a b', '$HOME', '*', '"', "'", '', '\\', 'ö']
  const outcome = await runScript('process.stdout.write(JSON.stringify(process.argv.slice(1)))', { args })
  expect({ ...outcome, stdout: JSON.parse(outcome.stdout) }).toEqual({ ...done, stdout: args })
})

test('the duration is real time', async () => {
  const { durationMs } = await launch({ file: process.execPath, args: ['-e', 'setTimeout(() => {}, 300)'] }, {}, longMs)
  expect(durationMs).toBeGreaterThanOrEqual(300)
})

describe('a run for an observer', () => {
  const waitsForStdin = ['-e', 'process.stdin.on("data", () => {}).on("end", () => {})']

  test('can leave stdin open without a byte', async () => {
    const outcome = await launch({ file: process.execPath, args: waitsForStdin }, {}, 700, { stdin: 'silent' })
    expect(toOutcome(outcome)).toEqual({ ...quiet, ended: { how: 'timeout', process: 'killed' } })
    const ready = await launch({ file: '/bin/echo', args: ['x'] }, {}, longMs, { stdin: 'silent' })
    expect(toOutcome(ready)).toEqual({ ...done, stdout: 'x\n' })
  })

  test('gives the process id, and can end the process before its timeout', async () => {
    const interrupt = new AbortController()
    const pids: number[] = []
    const onStart = (pid: number) => {
      pids.push(pid)
      setTimeout(() => interrupt.abort(), 100)
    }
    const { signal } = interrupt
    const outcome = await launch({ file: '/bin/sleep', args: ['60'] }, {}, longMs, { onStart, signal })
    expect([toOutcome(outcome).ended, pids.length]).toEqual([{ how: 'timeout', process: 'killed' }, 1])
    const late = await launch({ file: '/bin/sleep', args: ['60'] }, {}, longMs, { signal })
    expect(toOutcome(late).ended).toEqual({ how: 'timeout', process: 'killed' })
  })
})
