import { existsSync } from 'node:fs'
import { chmod, chown, copyFile, lstat, mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import type { Outcome } from '../setup/run-program.ts'
import { isCounted } from '../setup/tested-helpers.ts'
import { type CountableSource, startCountableSource } from './countable-source.ts'
import { cacheIn, editEntries, listCache, listKinds, type RunParts, startRun, tokenOf } from './start-run.ts'

/** `nobody`, because root reads and writes everything; whoever else runs these tests has no rights to lose. */
const isRoot = process.geteuid?.() === 0
const user = isRoot ? { as: 65_534 } : {}
/** A number that no user of this machine has. */
const unknownUser = 54_321

const modeOf = async (path: string) => ((await lstat(path)).mode & 0o7777).toString(8)

/** All helpers write to disk by the same code of the runtime, so one helper stands for all. */
describe.each(listHelpers().filter(isCounted).slice(0, 1))('%s', (helper) => {
  const runWithToken = async (source: CountableSource, parts: RunParts = {}) => {
    const { ms: _, ...outcome } = await startRun(helper, source, { ...user, ...parts }).outcome
    return outcome
  }

  /** Returns the outcome of a run that prints a token, with a word for the token. */
  const run = async (source: CountableSource, parts: RunParts = {}) => withoutToken(await runWithToken(source, parts))

  const startDesk = async (): Promise<CountableSource> => {
    const source = await startCountableSource(helper)
    await giveAway(source.home)
    return source
  }

  const good = { status: 0, stdout: '{"token":"TOKEN","headers":{"X-Key":"0"}}\n' }
  const silent = { ...good, stderr: '' }
  const warned = (message: string) => ({ ...good, stderr: `${helper}: warning: ${message}\n` })
  const readOnly = (path: string, how: string) =>
    `${path} ${how}; every call gets a new token until it can be written, or XDG_CACHE_HOME (on Linux) names a directory that can`
  const unusable = (reason: string) => warned(`cannot use the token cache: ${reason}`)
  const notItsEntry = (path: string) =>
    unusable(`${path} is not an entry of this version and key; it is replaced by the next token`)

  test('everything that is kept is readable by its user alone', async () => {
    const source = await startDesk()
    expect(await run(source)).toEqual(silent)
    const names = await listCache(source)
    expect(await Promise.all(['.', ...names].map((name) => modeOf(join(cacheIn(source), name))))).toEqual([
      '700',
      '600',
      '600',
      '600',
    ])
  })

  test('a second run reads what the first one kept, and so does another version', async () => {
    const source = await startDesk()
    const first = await runWithToken(source)
    await writeFile(join(cacheIn(source), `${helper}-${'0'.repeat(40)}.json`), '{"format":2,"of":"tomorrow"}')
    expect([withoutToken(first), await runWithToken(source), source.mints()]).toEqual([silent, first, 1])
  })

  test.each<[what: string, make: (directory: string) => Promise<unknown>, reason: (directory: string) => string]>([
    [
      'a link',
      async (directory) => {
        await rename(directory, `${directory}-elsewhere`)
        await symlink(`${directory}-elsewhere`, directory)
        await giveAway(directory)
      },
      (directory) => `${directory} is a link (run: rm '${directory}')`,
    ],
    [
      'writable by others',
      (directory) => chmod(directory, 0o777),
      (directory) => `${directory} can be written by other users (run: chmod go-w '${directory}')`,
    ],
    [
      'writable by a group',
      (directory) => chmod(directory, 0o770),
      (directory) => `${directory} can be written by other users (run: chmod go-w '${directory}')`,
    ],
    [
      'a file',
      async (directory) => {
        await rm(directory, { recursive: true })
        await writeFile(directory, '')
        await giveAway(directory)
      },
      (directory) => `${directory} is not a directory`,
    ],
    ['closed', (directory) => chmod(directory, 0o000), (directory) => `EACCES at ${directory}/ENTRY`],
  ])('a cache directory that is %s is not used, with one warning', async (_, make, reason) => {
    const source = await startDesk()
    const first = await runWithToken(source)
    await make(cacheIn(source))
    const outcome = await runWithToken(source)
    const stderr = outcome.stderr.replace(/[\w-]+\.json$/m, 'ENTRY')
    expect({ ...withoutToken(outcome), stderr }).toEqual(unusable(reason(cacheIn(source))))
    expect(tokenOf(outcome.stdout)).not.toBe(tokenOf(first.stdout))
  })

  test.runIf(isRoot)('a cache directory of another user is not used, with one warning', async () => {
    const source = await startDesk()
    await run(source)
    await chown(cacheIn(source), 0, 0)
    await chmod(cacheIn(source), 0o755)
    expect(await run(source)).toEqual(
      unusable(`${cacheIn(source)} belongs to another user (see: ls -ld '${cacheIn(source)}')`),
    )
  })

  test.each<[what: string, text: string]>([
    ['torn', '{"format":1,"tok'],
    ['foreign', 'hello'],
    ['of a newer version', '{"format":99,"expiresAt":99999999999999}'],
  ])('an entry that is %s costs one warning, and is replaced', async (_, text) => {
    const source = await startDesk()
    await run(source)
    const path = join(cacheIn(source), (await listCache(source)).find((name) => name.endsWith('.json')) ?? '')
    await writeFile(path, text)
    expect([await run(source), await run(source), source.mints()]).toEqual([notItsEntry(path), silent, 2])
  })

  test('a copy of the entry for another key is not served, and is replaced', async () => {
    const source = await startDesk()
    await run(source)
    const [own = ''] = (await listCache(source)).filter((name) => name.endsWith('.json'))
    await run(source, { key: 1 })
    const other = (await listCache(source)).find((name) => name.endsWith('.json') && name !== own)!
    await copyFile(join(cacheIn(source), other), join(cacheIn(source), own))
    const replaced = notItsEntry(join(cacheIn(source), own))
    expect([await run(source), await run(source), source.mints()]).toEqual([replaced, silent, 3])
  })

  test('an entry that is a link is not served, and is replaced', async () => {
    const source = await startDesk()
    await run(source)
    const path = join(cacheIn(source), (await listCache(source)).find((name) => name.endsWith('.json')) ?? '')
    await rename(path, join(source.home, 'elsewhere'))
    await symlink(join(source.home, 'elsewhere'), path)
    expect(await run(source)).toEqual(unusable(`${path} is a link (run: rm '${path}')`))
    expect((await lstat(path)).isFile()).toBe(true)
  })

  test('a file in place of the lock costs one warning', async () => {
    const source = await startDesk()
    await run(source)
    const path = join(cacheIn(source), (await listCache(source)).find((name) => name.endsWith('.lock')) ?? '')
    await writeFile(path, 'x'.repeat(5_000))
    const context = 'mid-session-refresh'
    expect(await run(source, { context })).toEqual(warned(`cannot lock ${path}: file is not a database`))
  })

  test('a home that cannot be written costs one warning', async () => {
    const source = await startDesk()
    await chmod(source.home, 0o500)
    expect(await run(source)).toEqual(unusable(readOnly(source.home, 'cannot be written by this user (EACCES)')))
  })

  test.runIf(isRoot)('a home on a read-only disk costs one warning, and so does the cache in it', async () => {
    const source = await startDesk()
    await execa('mount', ['--bind', source.home, source.home])
    try {
      for (const path of [source.home, cacheIn(source)]) {
        await execa('mount', ['-o', 'remount,bind,ro', source.home])
        expect(await run(source)).toEqual(unusable(readOnly(path, 'is read-only (EROFS)')))
        await execa('mount', ['-o', 'remount,bind,rw', source.home])
        await mkdir(cacheIn(source), { recursive: true, mode: 0o700 })
        await giveAway(source.home)
      }
    } finally {
      await execa('umount', [source.home])
    }
  })

  test('a home that is not there costs one warning', async () => {
    const source = await startDesk()
    const HOME = join(source.home, 'nobody', 'lives', 'here')
    await chmod(source.home, 0o500)
    expect(await run(source, { env: { HOME } })).toEqual(
      unusable(readOnly(source.home, 'cannot be written by this user (EACCES)')),
    )
  })

  test('without HOME the system says where the home is', async () => {
    const source = await startDesk()
    const { status, stdout } = await run(source, { env: { HOME: '' } })
    expect({ status, stdout }).toEqual(good)
  })

  test.runIf(isRoot)('a user whom the system does not know, without HOME, still gets a token', async () => {
    const source = await startDesk()
    await giveAway(source.home, unknownUser)
    const { HOME: _, USERPROFILE: __, ...env } = source.env
    const stranger = { ...source, env }
    expect(await run(stranger, { as: unknownUser })).toEqual(unusable('no home directory is known (set HOME to one)'))
  })

  test.runIf(isRoot)('without a home no directory is created instead, not even by root', async () => {
    const source = await startDesk()
    const outcome = await run(source, { env: { HOME: 'relative' }, as: 0 })
    expect(outcome).toEqual(unusable('no home directory is known (set HOME to one)'))
    expect(existsSync('/nonexistent')).toBe(false)
  })

  test.runIf(isRoot)('a full disk costs one warning, and leaves nothing half-written', async () => {
    const source = await startDesk()
    await mkdir(cacheIn(source), { recursive: true })
    await execa('mount', ['-t', 'tmpfs', '-o', `size=8k,mode=0700,uid=${user.as}`, 'tmpfs', cacheIn(source)])
    try {
      await writeFile(join(cacheIn(source), 'filler'), 'x'.repeat(8192))
      const reason = `there is no room on the disk of ${cacheIn(source)} (ENOSPC)`
      expect(await run(source)).toEqual(warned(`cannot store the token for the next run: ${reason}`))
      expect((await listCache(source)).filter((name) => /\.(json|tmp)$/.test(name))).toEqual([])
    } finally {
      await execa('umount', [cacheIn(source)])
    }
  })

  test('the next mint removes what has expired, whatever its key and version', async () => {
    const source = await startDesk()
    await run(source, { key: 1 })
    await editEntries(source, (entry) => ({ ...entry, format: 9, expiresAt: Date.now() - 1 }))
    await run(source, { key: 2 })
    const lock = (await listCache(source)).find((name) => name.endsWith('.lock')) ?? ''
    expect([await listKinds(source), await readFile(join(cacheIn(source), lock), 'utf8')]).toEqual([
      ['json', 'lock', 'lock', 'served', 'served'],
      '',
    ])
  })
})

function withoutToken(outcome: Outcome): Outcome {
  return { ...outcome, stdout: outcome.stdout.replace(tokenOf(outcome.stdout), 'TOKEN') }
}

/** Makes a home with all that is in it the property of the user for whom the helper runs. */
async function giveAway(path: string, to = user.as): Promise<void> {
  if (to !== undefined) await execa('chown', ['-hR', `${to}:${to}`, path])
}
