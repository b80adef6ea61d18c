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
const stays = 'kept  pilot.md\n  its text is not the one that setup wrote here\n'

test('a file that somebody has changed stays as it is, with both ways out named each time', async () => {
  const { folder, plan } = await changePlan()
  const expected = { status: 1, stdout: `${stays}Nothing else changes in FOLDER.\n`, stderr: ways, ...nobody }
  const outcomes = [await runSetup(folder, []), await runSetup(folder, ['--write'])]
  expect({ outcomes, plan: await readFile(plan, 'utf8') }).toEqual({ outcomes: [expected, expected], plan: own })
})

test('--keep says what it would do, and with --write leaves the file to its owner', async () => {
  const { folder, plan } = await changePlan()
  const nothing = 'Nothing changes in FOLDER.\n'
  const shown = await runSetup(folder, ['--keep', 'pilot.md'])
  const kept = await runSetup(folder, ['--write', '--keep', plan])
  const next = await runSetup(folder, [])
  const left = `${nothing}From now on ${plan.replace(folder, 'FOLDER')} is left to its owner.\n`
  expect([shown, kept, next]).toEqual([
    { status: 1, stdout: nothing, stderr: 'gatepass: to leave pilot.md to its owner, pass --write\n', ...nobody },
    { status: 0, stdout: left, stderr: '', ...nobody },
    { status: 0, stdout: nothing, stderr: '', ...nobody },
  ])
  expect(await readFile(plan, 'utf8')).toBe(own)
})

test('a kept file is asked about once more when the text for it changes', async () => {
  const { folder, plan } = await changePlan()
  await runSetup(folder, ['--write', '--keep', 'pilot.md'])
  const changed = await runSetup(folder, ['--outcomes', 'none', '--write'])
  const kept = await runSetup(folder, ['--write', '--keep', 'pilot.md'])
  const next = await runSetup(folder, [])
  expect([changed, kept, next].map(({ status, stderr }) => ({ status, stderr }))).toEqual([
    { status: 1, stderr: ways },
    { status: 0, stderr: '' },
    { status: 0, stderr: '' },
  ])
  expect(await readFile(plan, 'utf8')).toBe(own)
})

test('--take shows the new text first, and writes nothing', async () => {
  const { folder, plan } = await changePlan()
  const shown = await runSetup(folder, ['--take', 'pilot.md'])
  const nothing = 'gatepass: nothing was written; to write it, pass --write\n'
  expect({ ...shown, stdout: shown.stdout.split('\n').filter((line) => !/^ {2}[+…]/.test(line)) }).toEqual({
    status: 1,
    stdout: ['changes  pilot.md', '  - our own plan', '  what was there stays in pilot.md.before', ''],
    stderr: nothing,
    ...nobody,
  })
  expect(await readFile(plan, 'utf8')).toBe(own)
})

test('--take with --write writes the new text, and each old one stays beside it', async () => {
  const { folder, plan, written } = await changePlan()
  const take = async () => {
    await writeFile(plan, own)
    const { status } = await runSetup(folder, ['--take', 'pilot.md', '--write'])
    return { status, plan: await readFile(plan, 'utf8') }
  }
  const outcomes = [await take(), await take()]
  const before = ['pilot.md.before', 'pilot.md.before-2'].map((name) => readFile(join(folder, name), 'utf8'))
  expect({ outcomes, before: await Promise.all(before) }).toEqual({
    outcomes: Array(2).fill({ status: 0, plan: written }),
    before: [own, own],
  })
})

test('a changed file that the answers no longer ask for stays, and with --take goes beside its place', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(oktaAnswers))
  const script = join(folder, 'windows', 'detection.ps1')
  await writeFile(script, 'ours\n')
  const without = { status: (await runSetup(folder, ['--systems', 'linux,macos', '--write'])).status }
  const text = await readFile(script, 'utf8')
  const taken = { status: (await runSetup(folder, ['--write', '--take', 'windows/detection.ps1'])).status }
  expect({ without: { ...without, text }, taken: { ...taken, left: await readdir(join(folder, 'windows')) } }).toEqual({
    without: { status: 1, text: 'ours\n' },
    taken: { status: 0, left: ['detection.ps1.before'] },
  })
})

test('a changed file that the answers no longer ask for can be deleted', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(oktaAnswers))
  await writeFile(join(folder, 'windows', 'detection.ps1'), 'ours\n')
  await runSetup(folder, ['--systems', 'linux,macos', '--write'])
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
    status: 2,
    stdout: '',
    stderr: `gatepass: ${message}\ngatepass: hint: ${hint}\n`,
    ...nobody,
  })
})

test.each<[what: string, change: (written: string) => string, difference: string]>([
  ['no line, without the end of the last one', (text) => text.trimEnd(), 'only blanks or the ends of lines differ\n'],
  [
    'no line, with other ends of lines',
    (text) => text.replaceAll('\n', ' \r\n'),
    'only blanks or the ends of lines differ\n',
  ],
  [
    'the place where a long line differs',
    (text) => text.replace('# The pilot', `# The pilot ${'x'.repeat(200)}`),
    `- # The pilot ${'x'.repeat(148)}…\n  + # The pilot\n`,
  ],
])('shows %s', async (_, change, difference) => {
  const { folder, plan, written } = await changePlan()
  await writeFile(plan, change(written))
  const { stdout } = await runSetup(folder, ['--take', 'pilot.md'])
  expect(stdout).toBe(`changes  pilot.md\n  ${difference}  what was there stays in pilot.md.before\n`)
})
