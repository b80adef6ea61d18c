import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { checkHelper } from '../../../src/client/check/check-helper.ts'
import { outcomeOf } from '../../client/check/gallery.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isRoot } from '../../setup/unprivileged.ts'
import { canary, program } from './desk.ts'

/** Prepares a home, and the built helper that stores keys in a file of it. */
async function startDesk() {
  const home = await temporaryDirectory()
  const path = join(home, 'keys', 'key')
  await mkdir(dirname(path), { mode: 0o700 })
  const store = (key: string) =>
    execa(process.execPath, [toBundlePath(program), 'store', '--key-file', path], {
      input: key,
      env: { HOME: home },
      extendEnv: false,
      reject: false,
      stripFinalNewline: false,
    })
  return { home, path, store, list: () => readdir(dirname(path)) }
}

const keyOf = (number: number) => `${canary}-${number}-${'x1'.repeat(500)}`

test('keys that are stored at once leave one of them whole', async () => {
  const { path, store, list } = await startDesk()
  const keys = Array.from({ length: 6 }, (_, number) => keyOf(number))
  const statuses = (await Promise.all(keys.map(store))).map(({ exitCode }) => exitCode)
  const isOne = keys.includes((await readFile(path, 'utf8')).trim())
  expect({ statuses, isOne, files: await list() }).toEqual({ statuses: keys.map(() => 0), isOne: true, files: ['key'] })
})

test('a run that is killed leaves the old key or the new one', async () => {
  const { path, store, list } = await startDesk()
  await store(keyOf(0))
  const torn: string[] = []
  for (let number = 1; number <= 8; number += 1) {
    const before = (await readFile(path, 'utf8')).trim()
    const run = store(keyOf(number))
    setTimeout(() => run.kill('SIGKILL'), 40 + number * 15)
    await run
    const after = (await readFile(path, 'utf8')).trim()
    if (![before, keyOf(number)].includes(after)) torn.push(after)
  }
  await writeFile(`${path}.gatepass-draft`, 'left by a run that was killed')
  const { exitCode, stdout, stderr } = await store(keyOf(99))
  expect({ torn, exitCode, stdout, stderr, files: await list() }).toEqual({
    torn: [],
    exitCode: 0,
    stdout: '',
    stderr: `api-key: the key is kept in the file ${path}\napi-key: it is not known when it expires: set --expires-at, or ask the platform with --verify\n`,
    files: ['key'],
  })
})

test.runIf(isRoot)('a full disk leaves the old key, and says what to do', async () => {
  const { path, store, list } = await startDesk()
  await execa('mount', ['-t', 'tmpfs', '-o', 'size=12k,mode=0700', 'tmpfs', dirname(path)])
  try {
    await store(canary)
    await writeFile(join(dirname(path), 'filler'), 'x'.repeat(8192)).catch(() => undefined)
    const { exitCode, stdout, stderr } = await store(keyOf(1))
    expect({ exitCode, stdout, stderr, kept: await readFile(path, 'utf8'), files: await list() }).toEqual({
      exitCode: 3,
      stdout: '',
      stderr: `api-key: cannot write ${path} (ENOSPC)\napi-key: hint: make room on the disk\n`,
      kept: `${canary}\n`,
      files: ['filler', 'key'],
    })
  } finally {
    await execa('umount', [dirname(path)])
  }
})

test('the helper keeps every rule of a client, with a warning that a refresh renews nothing', async () => {
  const { home, path, store } = await startDesk()
  await store(canary)
  const settings = join(home, '.config', 'gatepass')
  await mkdir(settings, { recursive: true, mode: 0o700 })
  await writeFile(join(settings, `${program}.json`), JSON.stringify({ 'key-file': path }), { mode: 0o600 })
  const command = join(home, program)
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${toBundlePath(program)}' "$@"\n`, { mode: 0o755 })
  const env = { HOME: home, PATH: '/usr/bin:/bin', TMPDIR: await temporaryDirectory() }
  const report = await checkHelper({ command, env, platform: process.platform, timeoutSec: 8, ttlSec: 3600 })
  expect(outcomeOf(report), JSON.stringify(report.verdicts, undefined, 1)).toEqual({
    fails: [],
    warns: ['refresh-fresh'],
  })
})
