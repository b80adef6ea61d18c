import { chmod, chown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { isUnchanged, type SeenFile, toSeenFile, toSeenVariables } from '../../../src/helper/memo/seen-file.ts'
import { type Look, observeLooks, readLinkStatus, readStatus, readText } from '../../../src/runtime/disk.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { isRoot } from '../../setup/unprivileged.ts'

const looks = { content: readText, status: readStatus, 'link status': readLinkStatus }

/** Looks at what a path leads to, and tells whether a later look sees the same. */
async function see(how: keyof typeof looks, path: string) {
  const seen: Look[] = []
  observeLooks((look) => seen.push(look))
  onTestFinished(() => observeLooks())
  await looks[how](path).catch(() => undefined)
  observeLooks()
  const file = toSeenFile(seen[0]!, Date.now() + 3_600_000) as SeenFile
  return () => isUnchanged(file)
}

/** Prepares a file, a link to it and a directory. */
async function startDesk() {
  const home = await temporaryDirectory()
  await writeFile(join(home, 'file'), 'one')
  await writeFile(join(home, 'other'), 'two')
  await symlink('file', join(home, 'link'))
  await mkdir(join(home, 'directory'))
  return home
}

type Change = (home: string) => Promise<unknown>

const write: Change = (home) => writeFile(join(home, 'file'), 'two')
const replace: Change = (home) => rename(join(home, 'other'), join(home, 'file'))
const open: Change = (home) => chmod(join(home, 'file'), 0o666)
const remove: Change = (home) => rm(join(home, 'file'))
const turn: Change = async (home) => {
  await rm(join(home, 'link'))
  await symlink('other', join(home, 'link'))
}

test.each<[how: keyof typeof looks, name: string, change: string, isSame: boolean, Change]>([
  ['content', 'file', 'is written', false, write],
  ['content', 'file', 'is replaced', false, replace],
  ['content', 'file', 'is removed', false, remove],
  ['content', 'link', 'leads elsewhere', false, turn],
  ['status', 'file', 'is written', true, write],
  ['status', 'file', 'is replaced', false, replace],
  ['status', 'file', 'gets other permissions', false, open],
  ['status', 'file', 'is removed', false, remove],
  ['status', 'link', 'leads elsewhere', false, turn],
  ['link status', 'link', 'leads nowhere', true, remove],
  ['link status', 'link', 'becomes a file', false, (home) => rename(join(home, 'other'), join(home, 'link'))],
  ['link status', 'file', 'is removed', false, remove],
  ['status', 'missing', 'appears', false, (home) => writeFile(join(home, 'missing'), '')],
  ['content', 'missing', 'appears', false, (home) => writeFile(join(home, 'missing'), '')],
  ['content', 'missing', 'is a link to itself', false, (home) => symlink('missing', join(home, 'missing'))],
  ['status', 'missing', 'is still missing', true, async () => {}],
])('judged by its %s, a %s that %s is the same file: %s', async (how, name, _, isSame, change) => {
  const home = await startDesk()
  const isSameNow = await see(how, join(home, name))
  const before = await isSameNow()
  await change(home)
  expect({ before, after: await isSameNow() }).toEqual({ before: true, after: isSame })
})

test.runIf(isRoot)('a file that now belongs to another user is not the same', async () => {
  const home = await startDesk()
  const isSameNow = await see('status', join(home, 'file'))
  await chown(join(home, 'file'), 65_534, -1)
  expect(await isSameNow()).toBe(false)
})

test('a variable that is empty is not the same as one that is not set', () => {
  const [empty, unset] = [{ AWS_PROFILE: '' }, {}].map((env) => toSeenVariables(env, ['AWS_PROFILE'], []).digest)
  expect(empty).not.toBe(unset)
})
