import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { type CountableSource, startCountableSource } from '../cache/countable-source.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'

/** Opens a pipe that is full and that nobody reads. Writing to it waits, as to any pipe that a parent opens. */
async function openFullPipe(): Promise<number> {
  const path = join(await temporaryDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const filler = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  try {
    for (;;) writeSync(filler, 'x'.repeat(4096))
  } catch {
    // EAGAIN: it is full
  }
  const file = openSync(path, constants.O_WRONLY)
  onTestFinished(() => [filler, file].forEach(closeSync))
  return file
}

describe.each(listLongTestedHelpers())('%s', (helper) => {
  async function run(source: CountableSource, argv: readonly string[], streams: { stdout?: number; stderr?: number }) {
    const begin = performance.now()
    const child = spawn(process.execPath, [toBundlePath(helper), ...source.argv(0), '--client-timeout', '6', ...argv], {
      env: { ...source.env },
      stdio: ['ignore', streams.stdout ?? 'pipe', streams.stderr ?? 'pipe'],
      timeout: 60_000,
      killSignal: 'SIGKILL',
    })
    const [[status, signal], stdout, stderr] = await Promise.all([
      once(child, 'exit'),
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
    ])
    return { ended: status ?? signal, stdout, stderr, isInTime: performance.now() - begin < 20_000 }
  }

  test('ends at the deadline where nobody reads stdout, also a token from the cache', async () => {
    const source = await startCountableSource(helper)
    for (const _ of ['minted', 'cached'])
      expect(await run(source, [], { stdout: await openFullPipe() })).toEqual({
        ended: 7,
        stdout: '',
        stderr: `${helper}: stdout was not read to its end in time\n${helper}: hint: have the program that starts this read stdout to its end\n`,
        isInTime: true,
      })
  })

  test('prints the token where nobody reads stderr', async () => {
    const source = await startCountableSource(helper)
    const { stdout, ...rest } = await run(source, ['--client-ttl', '86400'], { stderr: await openFullPipe() })
    expect(rest).toEqual({ ended: 0, stderr: '', isInTime: true })
    expect(stdout).toContain('"token"')
  })

  test('fails with its own status where nobody reads stderr', async () => {
    const source = await startCountableSource(helper)
    const outcome = await run(source, ['--no-such-option'], { stderr: await openFullPipe() })
    expect(outcome).toEqual({ ended: 2, stdout: '', stderr: '', isInTime: true })
  })
})
