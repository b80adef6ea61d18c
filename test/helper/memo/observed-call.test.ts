import { mkdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { observeCall } from '../../../src/helper/memo/observed-call.ts'
import { observeLooks, readLinkStatus, readStatus, readText } from '../../../src/runtime/disk.ts'
import type { Host } from '../../../src/runtime/host.ts'
import { notingSearches } from '../../../src/runtime/program/file-state.ts'
import { findProgramFile, type SeenProgram } from '../../../src/runtime/program/find-program-file.ts'
import { listNames } from '../../../src/runtime/program/identity-variables.ts'
import type { Environment } from '../../../src/runtime/run-process.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { testHost } from '../../setup/test-host.ts'

/** Prepares a call that begins an hour after its files were written, unless another moment is given. */
async function startCall(env: Environment = {}, startedAt = Date.now() + 3_600_000) {
  const home = await temporaryDirectory()
  onTestFinished(() => observeLooks())
  return {
    home,
    ...observeCall(await testHost({ home, env, clock: { now: () => startedAt, startedAt, elapsedMs: () => 0 } })),
  }
}

/** Has the environment note a search as `findProgramFile` does, of a program that changed at a moment. */
function noteSearch({ env }: Host, changedAt: number) {
  const seen: SeenProgram = ['tool', null, '/bin/tool 1']
  ;(env as { [notingSearches]?: { note(seen: SeenProgram, changedAt: number): void } })[notingSearches]!.note(
    seen,
    changedAt,
  )
}

describe('a call is remembered', () => {
  test('with every name that it asked for, and no symbol', async () => {
    const { host, find } = await startCall({ AWS_A: '1', AWS_D: '4' })
    void [host.env.AWS_A, 'AWS_B' in host.env, Object.hasOwn(host.env, 'AWS_C'), host.env[Symbol.iterator as never]]
    const names = ['AWS_A', 'AWS_B', 'AWS_C']
    expect([find()?.variables, listNames(host.env, 'AWS_'), find()?.variables]).toEqual([
      { names, lists: [], digest: expect.any(String) },
      ['AWS_A', 'AWS_D'],
      { names, lists: ['AWS_'], digest: expect.any(String) },
    ])
  })

  test('with its searches, of which the variables are not asked for', async () => {
    const { home, host, find } = await startCall({ PATH: '/nowhere' })
    await writeFile(join(home, 'tool'), '', { mode: 0o755 })
    await findProgramFile({ name: 'tool' }, host)
    await findProgramFile({ name: 'tool', path: home }, host)
    const { programs, variables } = find()!
    const names = programs.map(([name, path, file]) => [name, path, file?.replace(/( \d+)+$/, '') ?? null])
    expect({ names: variables.names, programs: names }).toEqual({
      names: [],
      programs: [
        ['tool', null, null],
        ['tool', home, join(home, 'tool')],
      ],
    })
  })

  test('with each file once for each way in which it was looked at', async () => {
    const { home, find } = await startCall()
    await writeFile(join(home, 'file'), '')
    for (const look of [readText, readText, readStatus, readLinkStatus]) await look(join(home, 'file'))
    expect(find()?.files.map(([path, kind]) => [path, kind])).toEqual([
      [join(home, 'file'), 0],
      [join(home, 'file'), 'status'],
      [join(home, 'file'), 'link status'],
    ])
  })

  test('with a missing directory in place of what is below it', async () => {
    const { home, find } = await startCall()
    const missing = join(home, 'missing')
    // Only a look that follows no link says that there is no directory.
    await readText(missing).catch(() => {})
    for (const path of [join(missing, 'a.json'), join(missing, 'below', 'b.json')]) {
      await readText(path).catch(() => {})
      await readLinkStatus(path).catch(() => {})
    }
    const before = find()?.files.map(([path]) => path)
    await readLinkStatus(missing).catch(() => {})
    await readText(join(home, 'missing.json')).catch(() => {})
    const [first, second] = [join(missing, 'a.json'), join(missing, 'below', 'b.json')]
    expect({ before, after: find()?.files }).toEqual({
      before: [missing, first, first, second, second],
      after: [
        [missing, 0, ''],
        [missing, 'link status', ''],
        [join(home, 'missing.json'), 0, ''],
      ],
    })
  })

  test('with a missing file in a directory that is there', async () => {
    const { home, find } = await startCall()
    await readLinkStatus(home)
    await readText(join(home, 'missing.json')).catch(() => {})
    const files = find()?.files.map(([path, how, state]) => [path, how, String(state).replaceAll(/\d+/g, 'N')])
    expect(files).toEqual([
      [home, 'link status', 'N N N N'],
      [join(home, 'missing.json'), 0, ''],
    ])
  })

  test('until it is stopped', async () => {
    const { home, stop, find } = await startCall()
    stop()
    await readStatus(home)
    expect(find()?.files).toEqual([])
  })

  test.each([
    [64, 64],
    [65, undefined],
  ])('with 64 programs at most: %i make %j', async (programs, remembered) => {
    const { host, find } = await startCall()
    for (let number = 0; number < programs; number += 1) noteSearch(host, 0)
    expect(find()?.programs.length).toBe(remembered)
  })

  test('with 64 files at most', async () => {
    const { home, find } = await startCall()
    for (let number = 0; number < 65; number += 1) await readStatus(home)
    expect(find()).toBe(undefined)
  })

  test.each([
    [2000, 2],
    [1999, undefined],
  ])('where a program last changed two seconds before: with %i ms it has %j', async (ago, programs) => {
    const startedAt = Date.now()
    const { host, find } = await startCall({}, startedAt)
    for (const changedAt of [startedAt - ago, 0]) noteSearch(host, changedAt)
    expect(find()?.programs.length).toBe(programs)
  })

  test('with a directory of a name like one of the system', async () => {
    const { home, find } = await startCall()
    await mkdir(join(home, 'proc/sys'), { recursive: true })
    await readStatus(join(home, 'proc/sys'))
    expect(find()?.files.length).toBe(1)
  })
})

describe('a call is not remembered', () => {
  test.each<[what: string, use: (host: Host, call: { spoil(): void; stop(): void; home: string }) => unknown]>([
    ['that asks for the time', ({ clock }) => clock.now()],
    ['that asks who reads', ({ streams }) => streams.columns()],
    ['that asks for a secret', ({ env }) => env.VAULT_TOKEN],
    ['that is spoilt', (_, { spoil }) => spoil()],
    ['that plans once more after a sign-in', (_, { stop }) => [stop(), stop()]],
    ['that looks at a relative path', () => readStatus('.')],
    ...['/dev/null', '/proc/self', '/sys/kernel'].map(
      (path) => [`that looks at ${path}`, () => readStatus(path)] as [string, () => unknown],
    ),
    [
      'that sees a file change',
      async (_, { home }) => {
        await mkdir(join(home, 'proc'))
        await writeFile(join(home, 'file'), 'one')
        await readText(join(home, 'file'))
        await utimes(join(home, 'file'), 1, 1)
        await readText(join(home, 'file'))
      },
    ],
  ])('%s', async (_, use) => {
    const { host, find, ...call } = await startCall({ VAULT_TOKEN: 'hidden' })
    const wasRemembered = find() !== undefined
    await use(host, call)
    expect({ wasRemembered, memo: find() }).toEqual({ wasRemembered: true, memo: undefined })
  })

  test('that lists every variable, though none is a secret', async () => {
    const { host, find } = await startCall({ AWS_A: '1' })
    expect([Object.keys(host.env), find()]).toEqual([['AWS_A'], undefined])
  })
})
