import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { type OpenRelease, openRelease } from '../../src/bootstrap/open-release.ts'
import { parsePublicKeys } from '../../src/bootstrap/signed-line.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { baseDocument, createRollout } from './rollout-folder.ts'

/** Loaded before the command: counts its changes of files, and at one of them kills the process or fills the disk. */
const preload = `
const fs = require('node:fs/promises')
let left = Number(process.env.STEP)
const isFull = process.env.HOW === 'full'
const full = () => Object.assign(new Error('no space'), { code: 'ENOSPC' })
const step = () => {
  if (--left > 0) return false
  if (!isFull) process.kill(process.pid, 'SIGKILL')
  return true
}
for (const name of ['mkdir', 'open', 'rename', 'rm']) {
  const real = fs[name]
  fs[name] = async (...args) => {
    if (step() && name !== 'rm') throw full()
    const made = await real(...args)
    if (name !== 'open') return made
    const { writeFile, sync } = made
    made.writeFile = async (text) => {
      left -= 1
      if (left > 0) return writeFile.call(made, text)
      await writeFile.call(made, text.slice(0, text.length / 2))
      if (isFull) throw full()
      process.kill(process.pid, 'SIGKILL')
    }
    made.sync = async () => {
      if (step()) throw full()
      return sync.call(made)
    }
    return made
  }
}
`

const perCommand = 60

async function createPlace() {
  const folder = await createRollout({ 'rollout.json': { waves: [50, 100], pilot: ['pat'] } })
  const home = await temporaryDirectory()
  await writeFile(join(home, 'preload.cjs'), preload)
  const run = (argv: readonly string[], env: Record<string, string> = {}) =>
    execa(
      process.execPath,
      [...(env.STEP ? ['--require', join(home, 'preload.cjs')] : []), toBundlePath('gatepass'), 'bootstrap', ...argv],
      { cwd: home, env, reject: false },
    )
  await run(['keygen', '--out', 'key'])
  await run(['release', folder, '--to', 'first', '--signing-key', 'key'])
  const inference = { ...baseDocument.inference, streamIdleTimeoutSec: 600 }
  await writeFile(join(folder, 'base.json'), JSON.stringify({ inference }))
  await cp(join(home, 'first'), join(home, 'second'), { recursive: true })
  await run(['release', folder, '--to', 'second', '--signing-key', 'key'])
  const keys = parsePublicKeys(await readFile(join(home, 'key.pub'), 'utf8'))
  return { folder, home, run, keys }
}

const stateOf = ({ pointer, current }: OpenRelease) => `${current.manifest.counter} wave ${pointer.wave}`

interface Command {
  /** The releases to begin with. */
  readonly start: 'first' | 'second'
  readonly argv: (folder: string) => readonly string[]
  readonly before: string
  readonly after: string
}

const commands: readonly (readonly [name: string, command: Command])[] = [
  [
    'release',
    {
      start: 'first',
      argv: (folder) => ['release', folder, '--to', 'releases', '--signing-key', 'key'],
      before: '1 wave 2',
      after: '2 wave 0',
    },
  ],
  [
    'promote',
    {
      start: 'second',
      argv: () => ['promote', 'releases', '--wave', '1', '--signing-key', 'key'],
      before: '2 wave 0',
      after: '2 wave 1',
    },
  ],
]

describe.each(['killed', 'full'] as const)('where a step of a command finds the process or the disk %s', (how) => {
  test.each(commands)('readers see the state before %s or the state after', async (_, command) => {
    const { folder, home, run, keys } = await createPlace()
    const { start, before, after } = command
    const argv = command.argv(folder)
    const releases = join(home, 'releases')
    const seen = new Set<string>()
    const ends = new Set<string>()
    const completed = new Set<string>()
    for (let step = 1; step <= perCommand && !ends.has('0'); step += 1) {
      await rm(releases, { recursive: true, force: true })
      await cp(join(home, start), releases, { recursive: true })
      let isRunning = true
      const running = run(argv, { STEP: String(step), HOW: how }).finally(() => {
        isRunning = false
      })
      const read = async () => {
        while (isRunning) seen.add(stateOf(await openRelease(releases, keys)))
      }
      // Each reads once at least, because it begins before the command does.
      const readers = Array.from({ length: 8 }, read)
      const { exitCode, signal } = await running
      await Promise.all(readers)
      const state = stateOf(await openRelease(releases, keys))
      seen.add(state)
      ends.add(signal ?? String(exitCode))
      // The next run completes what was interrupted before the pointer changed.
      const again = state === before ? await run(argv) : { exitCode: 0 }
      completed.add(`${again.exitCode}: ${stateOf(await openRelease(releases, keys))}`)
    }
    expect({ seen: [...seen].toSorted(), ends: [...ends], completed: [...completed] }).toEqual({
      seen: [before, after],
      ends: [how === 'killed' ? 'SIGKILL' : '3', '0'],
      completed: [`0: ${after}`],
    })
  })
})
