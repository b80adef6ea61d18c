import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableOutcome } from '../setup/to-stable-text.ts'
import { cacheIn, editEntries, listCache } from './start-run.ts'

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

/** A pipe whose other end nobody ever opens: whoever reads it is stuck in the operating system. */
async function makePipe(home: string): Promise<string> {
  const path = join(home, 'pipe')
  await execa('mkfifo', [path])
  return path
}

// The smallest number of threads is one, and then nothing that needs the disk gets any further.
test.each(['4', '1'])(
  'of %s threads one is stuck in a mint: the call is late in time, and frees the lock',
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
  'of %s threads one is stuck in a mint: a token that still works is served, with status 0',
  async (threads) => {
    const home = await temporaryDirectory()
    const { stdout } = await run(home, { LIFE_SEC: '3600' })
    await editEntries({ home }, ({ minted, ...entry }) => ({ ...entry, minted: Number(minted) - 30_000 }))
    const stuck = { READ_FIRST: await makePipe(home), UV_THREADPOOL_SIZE: threads }
    expect(toStableOutcome(await run(home, stuck))).toEqual({
      ended: 0,
      stdout,
      stderr:
        'made-up: warning: getting a token took longer than the 5 s of this call; serving the last token, which is good until DATE\n',
    })
  },
)

test('a token with no known end never reaches the disk', async () => {
  const home = await temporaryDirectory()
  const first = await run(home)
  expect(withoutClock(first)).toEqual(minted)
  expect((await run(home)).stdout).not.toBe(first.stdout)
  const files = await readdir(home, { recursive: true, withFileTypes: true })
  const texts = files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name), 'utf8'))
  expect((await Promise.all(texts)).filter((text) => text.includes('canary'))).toEqual([])
  // To whom it was handed is noted, and not which token it was.
  expect((await listCache({ home })).map((name) => name.replace(/.*\./, '')).sort()).toEqual(['lock', 'served'])
  const noted = await readFile(
    join(cacheIn({ home }), (await listCache({ home })).find((name) => name.endsWith('served'))!),
    'utf8',
  )
  expect(noted).toMatch(/^(\ngiven \d+ \d+ \d+ -){2}$/)
})
