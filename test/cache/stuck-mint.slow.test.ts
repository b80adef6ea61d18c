import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'
import { editEntries } from './start-run.ts'

const program = join(import.meta.dirname, 'made-up-helper.ts')

/** Runs the made-up helper; where its source is stuck it has five seconds, of which it starts from source in some on a busy machine. */
async function run(home: string, env: Record<string, string> = {}) {
  const argv = env.READ_FIRST ? ['--client-timeout', '7'] : []
  const { exitCode, signal, stdout, stderr } = await execa(process.execPath, [program, ...argv], {
    env: { HOME: home, VENDOR_HELPER_CONTEXT: 'interactive', ...env },
    extendEnv: false,
    reject: false,
    stripFinalNewline: false,
    // Longer than a client waits, because this runs from source, which takes its time to start.
    timeout: 15_000,
  })
  return { ended: exitCode ?? signal, stdout, stderr }
}

/** The token that the helper mints is the time of day. */
const withoutClock = <T extends { stdout: string }>(outcome: T): T => ({
  ...outcome,
  stdout: outcome.stdout.replace(/canary-\d+/, 'canary-N'),
})
const minted = { ended: 0, stdout: '{"token":"canary-N"}\n', stderr: '' }

/** Makes a pipe whose other end nobody ever opens: whoever reads it is stuck in the operating system. */
async function makePipe(home: string): Promise<string> {
  const path = join(home, 'pipe')
  await execa('mkfifo', [path])
  return path
}

// The smallest number of threads is one, and then nothing that needs the disk gets any further.
test.each(['4', '1'])(
  'with %s threads, one of them stuck in a mint, the call ends in time and frees the lock',
  async (threads) => {
    const home = await temporaryDirectory()
    const stuck = { READ_FIRST: await makePipe(home), UV_THREADPOOL_SIZE: threads, LIFE_SEC: '3600' }
    expect(await run(home, stuck)).toEqual({
      ended: 7,
      stdout: '',
      stderr:
        "made-up: getting a token took longer than the 5 s of this call\nmade-up: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here\n",
    })
    expect(withoutClock(await run(home, { LIFE_SEC: '3600' }))).toEqual(minted)
  },
)

test.each(['4', '1'])(
  'with %s threads, one of them stuck in a mint, a token that is still valid is served, with status 0',
  async (threads) => {
    const home = await temporaryDirectory()
    const { stdout } = await run(home, { LIFE_SEC: '3600' })
    await editEntries({ home }, ({ minted, ...entry }) => ({ ...entry, minted: Number(minted) - 30_000 }))
    const stuck = { READ_FIRST: await makePipe(home), UV_THREADPOOL_SIZE: threads }
    expect(toStableValue(await run(home, stuck))).toEqual({
      ended: 0,
      stdout,
      stderr:
        'made-up: warning: getting a token took longer than the 5 s of this call; serving the last token, which is good until DATE\n',
    })
  },
)

describe('a token with no known end', () => {
  test('is printed once: the next run mints another', async () => {
    const home = await temporaryDirectory()
    const outcomes = [await run(home), await run(home)]
    expect(outcomes.map(withoutClock)).toEqual([minted, minted])
    expect(new Set(outcomes.map(({ stdout }) => stdout)).size).toBe(2)
  })

  test('never reaches the disk, which only records who was given one', async () => {
    const home = await temporaryDirectory()
    await run(home)
    await run(home)
    const entries = await readdir(home, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    const texts = files.map(({ name, parentPath }) => readFile(join(parentPath, name), 'utf8'))
    const read = (await Promise.all(texts)).map((text, at) => [extname(files[at]!.name), text.replaceAll(/\d+/g, 'N')])
    expect(read.toSorted()).toEqual([
      ['.lock', ''],
      ['.served', '\ngiven N N N -'.repeat(2)],
    ])
  })
})
