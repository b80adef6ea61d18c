import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { failingCall, mintingCall, nameToken, runStorm } from './storm.ts'

const program = 'aws-bedrock-token'

describe('on a busy machine', () => {
  const argvOf = (argv: readonly string[] = []) => [toBundlePath(program), ...argv]

  test('each of 300 calls that fail prints its message whole and once', async () => {
    const seen = await runStorm(process.execPath, 300, { argv: argvOf(failingCall.argv) })
    expect(seen).toEqual([[300, failingCall.outcome]])
  })

  test.each([['none'], ['disk']])('each of 100 calls that succeed prints one token, with --cache %s', async (cache) => {
    const env = { ...mintingCall, HOME: await temporaryDirectory() }
    const seen = await runStorm(process.execPath, 100, { argv: argvOf(['--cache', cache]), env }, nameToken)
    expect(seen).toEqual([[100, { status: 0, stdout: 'one token', stderr: '' }]])
  })
})

/** Opens a pipe that is full, and that nobody reads. */
async function openFullPipe(): Promise<number> {
  const path = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const pipe = openSync(path, constants.O_RDWR)
  writeSync(pipe, Buffer.alloc(65_536))
  onTestFinished(() => closeSync(pipe))
  return pipe
}

/** Runs the helper with four seconds for its call, and a stderr that nobody reads, which could hold it for ever. */
async function runUnread(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const begin = performance.now()
  const child = spawn(process.execPath, [toBundlePath(program), '--client-timeout', '6', ...argv], {
    stdio: ['ignore', 'pipe', await openFullPipe()],
    env: { HOME: await temporaryDirectory(), ...env },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const [[status], stdout] = await Promise.all([once(child, 'exit'), text(child.stdout!)])
  return {
    ...nameToken({ status: status as number, stdout, stderr: '' }),
    isInTime: performance.now() - begin < 20_000,
  }
}

test('a stderr that nobody reads does not delay a failing call beyond its deadline', async () => {
  expect(await runUnread(failingCall.argv, {})).toEqual({ status: 2, stdout: '', stderr: '', isInTime: true })
})

test('a warning that nobody reads does not delay the token', async () => {
  const env = { ...mintingCall, XDG_CACHE_HOME: '/proc' }
  expect(await runUnread([], env)).toEqual({ status: 0, stdout: 'one token', stderr: '', isInTime: true })
})
