import { mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { listHelpers, toBundlePath } from '../../../pkg-scripts/tree.ts'
import { listCacheFiles, toCacheFilePath } from '../../../src/helper/cache/cache-files.ts'
import { parseMemo } from '../../../src/helper/memo/call-memo.ts'
import { isUnchanged, toSeenFile } from '../../../src/helper/memo/seen-file.ts'
import { startCountableSource } from '../../cache/countable-source.ts'
import { runExecutable } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isCounted } from '../../setup/tested-helpers.ts'
import { isRoot } from '../../setup/unprivileged.ts'

/** Loaded before the program: it notes what the program opens, whatever it calls to open it. */
const observer = join(import.meta.dirname, 'observe-files.cjs')

test('the memo of each helper names every file that the call has looked at', async () => {
  const calls = await Promise.all(listHelpers().filter(isCounted).map(startCall))
  await sleep(2100) // then no file is too new
  const found = await Promise.all(calls.map(observe))
  expect({
    unknown: found.flatMap(({ unknown }) => unknown),
    different: found.filter(({ isAlike }) => !isAlike),
    forgotten: found.filter(({ isRemembered }) => !isRemembered).map(({ helper }) => helper),
  }).toEqual({ unknown: [], different: [], forgotten: [] })
})

test.runIf(isRoot)('a file with the same number on another file system is another file', async () => {
  const directory = await temporaryDirectory()
  const disks = [join(directory, 'one'), join(directory, 'other')] as const
  for (const disk of disks) {
    await mkdir(disk)
    await execa('mount', ['-t', 'tmpfs', '-o', 'size=8k', 'tmpfs', disk])
    onTestFinished(async () => void (await execa('umount', ['--lazy', disk])))
    await writeFile(join(disk, 'file'), 'x')
  }
  const [one, other] = await Promise.all(disks.map((disk) => stat(join(disk, 'file'))))
  const link = join(directory, 'link')
  await symlink(disks[0], link)
  const path = join(link, 'file')
  const seen = toSeenFile({ path, kind: 'status', found: await stat(path) }, Date.now())!
  const before = await isUnchanged(seen)
  await rm(link)
  await symlink(disks[1], link)
  expect({ other: [other?.ino, other?.mode, other?.uid], before, after: await isUnchanged(seen) }).toEqual({
    other: [one?.ino, one?.mode, one?.uid],
    before: true,
    after: false,
  })
})

/** Prepares a call of a helper that has been made once. */
async function startCall(helper: string) {
  const { home, env, argv } = await startSourceOfFiles(helper)
  const directory = await temporaryDirectory()
  const call = async (note: string) =>
    runExecutable(process.execPath, {
      argv: ['--require', observer, toBundlePath(helper), ...argv],
      env: { ...env, FILES_NOTE: join(directory, note) },
    })
  return { helper, home, directory, call, minted: await call('mint') }
}

/** Finds the files that the second call looks at and does not remember, and whether the third call has the same outcome. */
async function observe({ helper, home, directory, call, minted }: Awaited<ReturnType<typeof startCall>>) {
  const second = await call('second')
  const cache = join(home, '.cache', 'gatepass')
  const opened = (await readFile(join(directory, 'second'), 'utf8')).trim().split('\n')
  const memo = await readMemoIn(cache)
  const programs = (memo?.programs ?? []).map(([, , found]) => found?.replace(/( \d+){7}$/, ''))
  const known = [toBundlePath(helper), ...(memo?.files ?? []).map(([path]) => path), ...programs]
  const missing = (memo?.files ?? []).filter(([, , status]) => status === '').map(([path]) => `${path}/`)
  const isKnown = (path: string) => known.includes(path) || missing.some((directory) => path.startsWith(directory))
  const unknown = memo ? opened.filter((path) => !path.startsWith(cache) && !isKnown(path)) : []
  const outcomes = [minted, second, await call('third')].map((outcome) => JSON.stringify(outcome))
  return { helper, unknown, isRemembered: memo !== undefined, isAlike: new Set(outcomes).size === 1 }
}

/** Starts a helper's source, with every secret in a file: what is in a variable is not remembered. */
async function startSourceOfFiles(helper: string) {
  const source = await startCountableSource(helper)
  const { home } = source
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key, IDENTITY_TOKEN: token, ...env } = source.env
  if (id)
    await write(
      join(home, '.aws/credentials'),
      `[default]\naws_access_key_id = ${id}\naws_secret_access_key = ${key}\n`,
    )
  if (token) await write(join(home, 'identity'), token)
  const words = { variable: 'file', '--identity-variable': '--identity-file', IDENTITY_TOKEN: join(home, 'identity') }
  const argv = source.argv().map((word) => (words as Record<string, string>)[word] ?? word)
  return { home, env: { ...env, HOME: home } as Record<string, string>, argv }
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, text, { mode: 0o600 })
}

async function readMemoIn(cache: string) {
  const file = (await listCacheFiles(cache)).find(({ kind }) => kind === 'memo')
  return file && parseMemo(await readFile(toCacheFilePath(file.location, file.kind), 'utf8'), file.location)
}
