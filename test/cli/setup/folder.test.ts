import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { manifestPath, resolveFolder } from '../../../src/cli/setup/folder.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const flags = toFlags(oktaAnswers)
const nothing = { status: 5, stdout: '', asked: [], left: [] }

test.each([
  ['that is a file', '.', 'FOLDER is a file, not a folder'],
  ['below a file', 'below', 'FOLDER cannot be a folder, because a part of its path is a file'],
])('a path %s is refused before anybody is asked', async (_, path, message) => {
  const file = await nameFolder()
  await writeFile(file, 'a file')
  expect({ ...(await runSetup(join(file, path), [], [])), text: await readFile(file, 'utf8') }).toEqual({
    ...nothing,
    stderr: `gatepass: ${message}\ngatepass: hint: name another folder\n`,
    text: 'a file',
  })
})

test.each<[name: string, problem: string]>([
  ['missing.json', 'cannot be read (ENOENT)'],
  ['.', 'is a directory'],
  ['long.json', 'is longer than 256 KiB'],
])('the file of answers %s is refused, because it %s', async (name, problem) => {
  const place = await temporaryDirectory()
  await writeFile(join(place, 'long.json'), ' '.repeat(256 * 1024 + 1))
  const path = join(place, name)
  expect(await runSetup(await nameFolder(), ['--answers', path])).toEqual({
    ...nothing,
    status: 2,
    stderr: `gatepass: ${path} ${problem}\ngatepass: hint: name a file with --answers\n`,
  })
})

test.each<[given: string | undefined, written: string, expected: string]>([
  ['other', '.', 'other'],
  ['other', 'rollout', 'other'],
  [undefined, '.', '.'],
  [undefined, 'rollout', 'rollout'],
  [undefined, 'other', 'rollout'],
])('with %j given, and %j written by setup, %j is the folder', async (given, written, expected) => {
  const place = await enterDirectory()
  await mkdir(written, { recursive: true })
  await writeFile(join(written, manifestPath), '{}')
  expect(await resolveFolder(given)).toBe(join(place, expected))
})

test('a file of answers in this folder does not make it the folder of setup', async () => {
  const place = await enterDirectory()
  await writeFile('answers.json', JSON.stringify(oktaAnswers))
  const folders = [await resolveFolder(undefined)]
  await runSetup(folders[0]!, ['--answers', 'answers.json'])
  const left = { names: (await readdir('.')).toSorted(), answers: JSON.parse(await readFile('answers.json', 'utf8')) }
  process.chdir('rollout')
  folders.push(await resolveFolder(undefined))
  expect({ folders, left }).toEqual({
    folders: Array(2).fill(join(place, 'rollout')),
    left: { names: ['answers.json', 'rollout'], answers: oktaAnswers },
  })
})

/** Makes a new directory the current one until the test has ended. */
async function enterDirectory(): Promise<string> {
  const before = process.cwd()
  const place = await temporaryDirectory()
  process.chdir(place)
  onTestFinished(() => process.chdir(before))
  return place
}

test('answers that somebody wrote into the folder itself are taken, and stay beside those of setup', async () => {
  const folder = await temporaryDirectory()
  const own = JSON.stringify({ ...oktaAnswers, systems: ['linux'] })
  await writeFile(join(folder, 'answers.json'), own)
  const { stdout: _, ...first } = await runSetup(folder, ['--answers', join(folder, 'answers.json')])
  expect({
    first,
    before: await readFile(join(folder, 'answers.json.before'), 'utf8'),
    systems: JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8')).systems,
    second: await runSetup(folder, []),
  }).toEqual({
    first: { status: 0, stderr: '', asked: [], left: [] },
    before: own,
    systems: 'linux',
    second: { status: 0, stdout: 'Nothing changes in FOLDER.\n', stderr: '', asked: [], left: [] },
  })
})

test('the path of a vendor file begins at the folder, so that another place to run from finds it', async () => {
  const place = await temporaryDirectory()
  const folder = join(place, 'rollout')
  const { vendorSetting } = await import('../../../src/vendor.ts')
  await writeFile(join(place, 'names.json'), JSON.stringify(vendorSetting))
  await runSetup(folder, [...flags, '--client', join(place, 'names.json')])
  const { client } = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
  expect(client).toBe(join('..', 'names.json'))
  expect(await runSetup(folder, [])).toEqual({
    status: 0,
    stdout: 'Nothing changes in FOLDER.\n',
    stderr: '',
    asked: [],
    left: [],
  })
})
