import { mkdir, readdir, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { failure, startWorkbench, tokenOf, type Workbench } from '../helpers/workload-token/workbench.ts'
import type { Outcome } from '../setup/run-program.ts'

/** Makes a run that has three seconds. */
async function run(bench: Workbench, argv: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const identity = ['--identity', 'file', '--identity-file', join(bench.home, 'identity-token')]
  return bench.run({ argv: [...bench.target, ...identity, '--client-timeout', '5', ...argv], env })
}

async function startDesk(): Promise<Workbench> {
  const bench = await startWorkbench()
  await bench.writeToken(await bench.provider.sign({}))
  return bench
}

/** Makes a file without content that seems to be 3 GiB long. */
async function makeSparse(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, '', { mode: 0o600 })
  await truncate(path, 3 * 1024 ** 3)
  return path
}

const tooLong = (path: string) =>
  failure(3, `${path} is longer than 5 MiB`, `name another file; look at this one with: ls -ld '${path}'`)

test('an endless identity token, or a device in its place, is refused', async () => {
  await using bench = await startDesk()
  const path = await makeSparse(join(bench.home, 'sparse'))
  expect(await run(bench, ['--identity-file', path])).toEqual(tooLong(path))
  expect(await run(bench, ['--identity-file', '/dev/zero'])).toEqual(tooLong('/dev/zero'))
})

test('an endless file of options is refused', async () => {
  await using bench = await startDesk()
  const path = await makeSparse(join(bench.home, '.config', 'gatepass', 'workload-token.json'))
  expect(await run(bench)).toEqual(tooLong(path))
})

test('an endless cached token costs a warning and is replaced by the next mint', async () => {
  await using bench = await startDesk()
  const reuse = ['--identity-reuse', 'allowed']
  tokenOf(await run(bench, reuse))
  const cache = join(bench.home, '.cache', 'gatepass')
  const [name = ''] = (await readdir(cache)).filter((file) => file.endsWith('.json'))
  await makeSparse(join(cache, name))
  await bench.writeToken(await bench.provider.sign({}))
  const { status, stderr } = await run(bench, reuse)
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: 'workload-token: warning: cannot use the token cache: EFBIG\n',
  })
  tokenOf(await run(bench, reuse))
})

/** Returns an outcome with the type of its token instead of the token. */
const withoutToken = ({ stdout, ...rest }: Outcome) => ({ ...rest, token: typeof JSON.parse(stdout).token })

test('a home directory under /proc costs a warning', async () => {
  await using bench = await startDesk()
  const home = await run(bench, ['--identity-reuse', 'allowed'], { HOME: '/proc/self' })
  expect(withoutToken(home)).toEqual({
    status: 0,
    token: 'string',
    stderr:
      'workload-token: warning: cannot use the token cache: /proc/self cannot be written by this user (EPERM); every call gets a new token until it can be written, or XDG_CACHE_HOME (on Linux) names a directory that can\n',
  })
})

test('a log under /proc costs a warning', async () => {
  await using bench = await startDesk()
  const log = await run(bench, ['--log-file', '/proc/self/logs/calls.log'])
  expect(withoutToken(log)).toEqual({
    status: 0,
    token: 'string',
    stderr: 'workload-token: warning: cannot write the log: ENOENT at /proc/self/logs\n',
  })
})
