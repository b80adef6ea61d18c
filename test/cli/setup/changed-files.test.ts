import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const nobody = { asked: [], left: [] }
const own = 'our own plan\n'

async function changePlan(): Promise<{ folder: string; plan: string; written: string }> {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(oktaAnswers))
  const plan = join(folder, 'pilot.md')
  const written = await readFile(plan, 'utf8')
  await writeFile(plan, own)
  return { folder, plan, written }
}

const ways = `gatepass: warning: 1 file that somebody has changed stays as before: pilot.md
gatepass: hint: to leave it to its owner from now on: gatepass setup 'FOLDER' --write --keep pilot.md
gatepass: hint: to see the new text: gatepass setup 'FOLDER' --take pilot.md; with --write it is written, and the old one stays beside it
`
const stays = 'stays  pilot.md\n  its text is not the one that setup wrote here\n'

test('a file that somebody has changed stays as it is, and both ways out are named each time', async () => {
  const { folder, plan } = await changePlan()
  const expected = { status: 1, stdout: `${stays}Nothing else changes in FOLDER.\n`, stderr: ways, ...nobody }
  expect(await runSetup(folder, [])).toEqual(expected)
  expect(await runSetup(folder, ['--write'])).toEqual(expected)
  expect(await readFile(plan, 'utf8')).toBe(own)
})

test('--keep leaves the file to its owner until the text for it changes', async () => {
  const { folder, plan } = await changePlan()
  const ask = 'gatepass: to leave pilot.md to its owner, pass --write\n'
  const unchanged = 'Nothing changes in FOLDER.\n'
  expect(await runSetup(folder, ['--keep', 'pilot.md'])).toEqual({
    ...{ status: 1, stdout: unchanged, stderr: ask, ...nobody },
  })
  expect(await runSetup(folder, ['--write', '--keep', plan])).toEqual({
    ...{ status: 0, stdout: `${unchanged}From now on ${plan.replace(folder, 'FOLDER')} is left to its owner.\n` },
    ...{ stderr: '', ...nobody },
  })
  expect(await runSetup(folder, [])).toEqual({ status: 0, stdout: unchanged, stderr: '', ...nobody })
  const changed = await runSetup(folder, ['--outcomes', 'none', '--write'])
  expect({ status: changed.status, stderr: changed.stderr }).toEqual({ status: 1, stderr: ways })
  expect((await runSetup(folder, ['--write', '--keep', 'pilot.md'])).status).toBe(0)
  expect(await runSetup(folder, [])).toEqual({ status: 0, stdout: unchanged, stderr: '', ...nobody })
  expect(await readFile(plan, 'utf8')).toBe(own)
})

test('--take writes the new text, and the old one stays beside it', async () => {
  const { folder, plan, written } = await changePlan()
  const shown = await runSetup(folder, ['--take', 'pilot.md'])
  const nothing = 'gatepass: nothing was written; to write it, pass --write\n'
  expect({ ...shown, stdout: shown.stdout.split('\n').filter((line) => !/^ {2}[+…]/.test(line)) }).toEqual({
    status: 1,
    stdout: ['changes  pilot.md', '  - our own plan', '  what was there stays in pilot.md.before', ''],
    stderr: nothing,
    ...nobody,
  })
  expect(await readFile(plan, 'utf8')).toBe(own)
  for (const name of ['pilot.md.before', 'pilot.md.before-2']) {
    await writeFile(plan, own)
    expect((await runSetup(folder, ['--take', 'pilot.md', '--write'])).status).toBe(0)
    expect(await readFile(plan, 'utf8')).toBe(written)
    expect(await readFile(join(folder, name), 'utf8')).toBe(own)
  }
})

test('a file that the answers no longer ask for goes, or stays beside its place, or stays', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(oktaAnswers))
  const script = join(folder, 'windows', 'detection.ps1')
  await writeFile(script, 'ours\n')
  const linux = ['--systems', 'linux,macos', '--write']
  expect((await runSetup(folder, linux)).status).toBe(1)
  expect(await readFile(script, 'utf8')).toBe('ours\n')
  expect((await runSetup(folder, ['--write', '--take', 'windows/detection.ps1'])).status).toBe(0)
  expect(await readdir(join(folder, 'windows'))).toEqual(['detection.ps1.before'])
  await rm(join(folder, 'windows'), { recursive: true })
  expect(await runSetup(folder, [])).toEqual({
    status: 0,
    stdout: 'Nothing changes in FOLDER.\n',
    stderr: '',
    ...nobody,
  })
})

test.each([
  [['--keep', 'pilot'], '--keep: the folder has no file pilot', 'did you mean pilot.md?'],
  [['--take', 'x.txt'], '--take: the folder has no file x.txt', 'name a file as README.md of the folder lists it'],
  [['--take', 'pilot.md', '--keep', 'pilot.md'], '--keep and --take both name pilot.md', 'pass one of them'],
])('refuses %j', async (wrong, message, hint) => {
  const { folder } = await changePlan()
  expect(await runSetup(folder, wrong)).toEqual({
    ...{ status: 2, stdout: '', stderr: `gatepass: ${message}\ngatepass: hint: ${hint}\n`, ...nobody },
  })
})

test('shows no line that reads the same, and of a long one the place where it differs', async () => {
  const { folder, plan, written } = await changePlan()
  const take = async (text: string) => {
    await writeFile(plan, text)
    const { stdout } = await runSetup(folder, ['--take', 'pilot.md'])
    return stdout
  }
  const blanks =
    'changes  pilot.md\n  only blanks or the ends of lines differ\n  what was there stays in pilot.md.before\n'
  expect(await take(written.trimEnd())).toBe(blanks)
  expect(await take(written.replaceAll('\n', ' \r\n'))).toBe(blanks)
  const title = '# The pilot'
  expect(await take(written.replace(title, `${title} ${'x'.repeat(200)}`))).toBe(
    `changes  pilot.md\n  - # The pilot ${'x'.repeat(148)}…\n  + # The pilot\n  what was there stays in pilot.md.before\n`,
  )
})
