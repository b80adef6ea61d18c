import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import type { ClientContext } from '../../src/contract/context.ts'
import { toContextVariables } from '../../src/contract/detect-context.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listLongTestedHelpers } from '../setup/tested-helpers.ts'
import { startCountableSource } from './countable-source.ts'
import { cacheIn, listCache, startRun, tokenOf } from './start-run.ts'

const impatient = ['--client-timeout', '5']
const slowHint = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"

describe.each(listLongTestedHelpers())('%s', (helper) => {
  /** Runs it where a pipe whose other end nobody ever opens stands for whatever keeps a thread in the operating system. */
  const runStuck = async (context: ClientContext, options: readonly string[] = []) => {
    const home = await temporaryDirectory()
    const path = join(home, '.config', 'gatepass', `${helper}.json`)
    await mkdir(join(home, '.config', 'gatepass'), { recursive: true, mode: 0o700 })
    await execa('mkfifo', ['-m', '600', path])
    const { exitCode, signal, stdout, stderr } = await execa(
      process.execPath,
      [...options, toBundlePath(helper), ...impatient],
      {
        env: { HOME: home, ...toContextVariables(context) },
        extendEnv: false,
        reject: false,
        stripFinalNewline: false,
        // A client that waits for five seconds does this.
        timeout: 5_000,
      },
    )
    return { ended: exitCode ?? signal, stdout, stderr: stderr.replaceAll(path, 'PATH') }
  }

  const late = {
    stdout: '',
    stderr: `${helper}: reading the configuration files (waiting for PATH) took longer than the 3 s of this call\n${helper}: hint: ${slowHint}\n`,
  }

  test.each(['background', 'mid-session-refresh'] as const)(
    'in %s a thread that is stuck in the operating system is left behind in time, with status 7',
    async (context) => {
      expect(await runStuck(context)).toEqual({ ended: 7, ...late })
    },
  )

  test('where the runtime cannot become another program, a stuck run ends itself by a signal', async () => {
    const preload = join(await temporaryDirectory(), 'before-node-23.cjs')
    await writeFile(preload, 'process.execve = undefined')
    expect(await runStuck('background', ['--require', preload])).toEqual({ ended: 'SIGKILL', ...late })
  })

  test.each(['.json', '.lock', '.tmp', '.holder'])(
    'a pipe in place of the cache’s %s costs at most one warning',
    async (ending) => {
      const source = await startCountableSource(helper)
      const first = tokenOf((await startRun(helper, source).outcome).stdout)
      const lock = (await listCache(source)).find((name) => name.endsWith('.lock')) ?? ''
      const path = join(cacheIn(source), lock.replace('.lock', ending))
      await rm(path, { force: true })
      await execa('mkfifo', ['-m', '600', path])
      const context = 'mid-session-refresh'
      const { ms, status, stdout, stderr } = await startRun(helper, source, {
        // The client waits for ten seconds.
        argv: ['--client-timeout', '10'],
        context,
      }).outcome
      const said = stderr === '' || stderr.includes(`${path} is not a regular file (run: rm '${path}')`) ? [] : [stderr]
      const lines = stderr.split('\n').length - 1
      expect({ status, said, lines, isRenewed: tokenOf(stdout) !== first, isInTime: ms < 10_000 }).toEqual({
        status: 0,
        said: [],
        lines: ending === '.json' || ending === '.lock' ? 1 : 0,
        isRenewed: true,
        isInTime: true,
      })
    },
  )
})
