import { mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { begunPath } from '../../../src/cli/setup/folder.ts'
import { BegunAnswers } from '../../../src/cli/setup/unfinished-answers.ts'
import { vendor } from '../../../src/vendor.ts'
import { neutralNames } from '../../setup/names.ts'
import { runHere } from '../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const { 'client-id': clientId, ...others } = oktaAnswers
const nobody = { asked: [], left: [] }

/** A build for a vendor has names that a machine must be told. */
const ofVendor = vendor.name === neutralNames.name ? [] : ['vendor.json']

const notComplete = `gatepass: warning: the folder is not complete: the document and its exports are still missing
gatepass: hint: register what registration.md says, then: gatepass setup 'FOLDER' --write --client-id …
`

test('without a client ID every file but the document and its exports is written', async () => {
  const folder = await nameFolder()
  expect(await runSetup(folder, [...toFlags(others), '--recipe', 'nginx'])).toEqual({
    status: 1,
    stdout: `Wrote ${10 + ofVendor.length} files in FOLDER: README.md says what each is, registration.md what to register.
Nobody has chosen these; to change one, pass its option:
  --allow everyone                  everyone to whom the provider gives a token for this audience may pass the gateway
  --identifier com.example.gateway  the configuration profile of macOS: another of this name replaces it
`,
    stderr: notComplete,
    ...nobody,
  })
  expect((await readdir(folder)).toSorted()).toEqual([
    ...[
      '.gatepass-setup.json',
      'README.md',
      'answers.json',
      'back.md',
      'linux',
      'machine',
      'macos',
      'packages.md',
      'pilot.md',
    ],
    ...['registration.md', ...ofVendor, 'windows'],
  ])
})

test('without a client ID, the pages of the folder say what to do', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(others))
  const [readme, registration] = await Promise.all(
    ['README.md', 'registration.md'].map((page) => readFile(join(folder, page), 'utf8')),
  )
  expect(readme?.split('\n').slice(2, 4)).toEqual([
    '**This folder is not complete:** the document and its exports are still missing. Register what [registration.md](registration.md) says,',
    'then run `gatepass setup --write --client-id …` in this folder.',
  ])
  expect(registration?.match(/CLIENT-ID|undefined/g)).toEqual(['CLIENT-ID', 'CLIENT-ID'])
})

test('without a client ID, every later run says what is missing', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(others))
  expect(await runSetup(folder, [])).toEqual({
    status: 1,
    stdout: 'Nothing changes in FOLDER.\n',
    stderr: notComplete,
    ...nobody,
  })
})

test('without a client ID, setup try says what is missing', async () => {
  const folder = await nameFolder()
  await runSetup(folder, toFlags(others))
  const trial = await runHere(['setup', 'try', folder])
  expect({ ...trial, stderr: trial.stderr.replaceAll(folder, 'FOLDER') }).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: FOLDER is not complete: it has no --client-id yet
gatepass: hint: register what registration.md says, then: gatepass setup 'FOLDER' --write --client-id …
`,
  })
})

const question = 'Client ID of its registration there (later: the folder says how to register it)? [later] '
test.each<[from: string, flags: string[], answers: string[] | undefined, asked: string[]]>([
  ['an option', ['--client-id', clientId], undefined, []],
  ['a person, who is asked for nothing else,', [], [clientId], [question]],
])('the client ID from %s completes the folder', async (_, flags, answers, questions) => {
  const [folder, whole] = [await nameFolder(), await nameFolder()]
  await runSetup(whole, toFlags(oktaAnswers))
  await runSetup(folder, toFlags(others))
  const { status, stderr, asked } = await runSetup(folder, ['--write', ...flags], answers)
  const list = async (path: string) => (await readdir(path, { recursive: true })).toSorted()
  expect({ status, stderr, asked, files: await list(folder) }).toEqual({
    status: 0,
    stderr: '',
    asked: questions,
    files: await list(whole),
  })
})

/** The part of {@link firstAnswers} that is kept. */
const keptAnswers = {
  client: 'in-force',
  proxy: 'none',
  'base-url': 'https://gateway.example.com',
  ca: 'none',
  identity: 'oidc-token',
  issuer: 'https://example.okta.com',
}
const firstAnswers = ['in-force', '', 'https://gateway.example.com', '', 'https://example.okta.com']

test('answers of a person before the end of the input are kept, for that person alone', async () => {
  const folder = await nameFolder()
  const cut = await runSetup(folder, [], firstAnswers)
  const begun = join(folder, begunPath)
  expect({
    ...cut,
    asked: cut.asked.length,
    stderr: cut.stderr.split('\n').slice(-3),
    mode: (await stat(begun)).mode & 0o777,
    kept: JSON.parse(await readFile(begun, 'utf8')),
  }).toEqual({
    mode: process.platform === 'win32' ? 0o666 : 0o600,
    kept: keptAnswers,
    status: 2,
    stdout: '',
    stderr: [
      'gatepass: the input ended before the last question; 6 answers are kept in FOLDER/.gatepass-setup.begun.json',
      "gatepass: hint: go on with: gatepass setup 'FOLDER' --offline",
      '',
    ],
    asked: 6,
    left: [],
  })
})

test('the next run goes on after the answers that were kept, and removes them', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [], firstAnswers)
  const rest = await runSetup(folder, [], [clientId, ...Array(20).fill('')])
  expect({ status: rest.status, first: rest.asked[0], told: rest.stderr.split('\n')[0] }).toEqual({
    status: 0,
    first: 'Client ID of its registration there (later: the folder says how to register it)? [later] ',
    told: 'Going on after 6 answers of a run that was cut off; --ask asks again.',
  })
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual(['.gatepass-setup.json'])
})

test('a run that is cut off before the answers of the one before it keeps both', async () => {
  const folder = await nameFolder()
  const begun = join(folder, begunPath)
  await mkdir(folder)
  await writeFile(begun, JSON.stringify({ client: 'in-force', systems: 'linux', outcomes: 'none' }))
  const readKept = async () => JSON.parse(await readFile(begun, 'utf8'))
  const { status, asked } = await runSetup(folder, [], [''])
  const first = await readKept()
  await runSetup(folder, [], ['https://gateway.example.com'])
  const both = { client: 'in-force', proxy: 'none', systems: 'linux', outcomes: 'none' }
  expect({ status, asked: asked.length, kept: [first, await readKept()] }).toEqual({
    status: 2,
    asked: 2,
    kept: [both, { ...both, 'base-url': 'https://gateway.example.com' }],
  })
})

describe.runIf(process.platform === 'linux')('on a full disk', () => {
  /** Creates a folder that keeps one answer, on a disk that `fill` makes full until the next writing. */
  async function createBegun() {
    const folder = await nameFolder()
    await mkdir(folder)
    const begun = new BegunAnswers(folder)
    expect(await begun.write({ client: 'in-force' })).toBe(undefined)
    const path = join(folder, begunPath)
    const write = async (answers: object) => begun.write({ client: 'in-force', ...answers })
    const writeOnFullDisk = async (answers: object) => {
      await symlink('/dev/full', `${path}.new`)
      return write(answers)
    }
    const toWarning = (kept: string) =>
      `gatepass: warning: your answers cannot be kept in ${folder} (ENOSPC); ${kept} kept in ${path}
gatepass: hint: make room on the disk before the last question
`
    return { folder, path, write, writeOnFullDisk, toWarning }
  }
  const more = { proxy: 'none' }

  test('setup says once that answers cannot be kept', async () => {
    const { writeOnFullDisk, toWarning } = await createBegun()
    expect([await writeOnFullDisk(more), await writeOnFullDisk(more)]).toEqual([toWarning('1 answer is'), undefined])
  })

  test('answers from before stay', async () => {
    const { folder, path, writeOnFullDisk } = await createBegun()
    await writeOnFullDisk(more)
    expect({ files: await readdir(folder), kept: JSON.parse(await readFile(path, 'utf8')) }).toEqual({
      files: [begunPath],
      kept: { client: 'in-force' },
    })
  })

  test('setup says it once more after somebody has made room', async () => {
    const { write, writeOnFullDisk, toWarning } = await createBegun()
    await writeOnFullDisk(more)
    expect([await write(more), await writeOnFullDisk({})]).toEqual([undefined, toWarning('2 answers are')])
  })
})

test('arguments of a helper are not kept, because one may be a secret', async () => {
  const folder = await nameFolder()
  await runSetup(folder, ['--arg=--header', '--arg=x-key: abc'], firstAnswers)
  expect(JSON.parse(await readFile(join(folder, '.gatepass-setup.begun.json'), 'utf8'))).toEqual(keptAnswers)
})

test('each row of the README is a file of the folder, and each file has a row', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [...toFlags(oktaAnswers), '--management', 'intune,ansible', '--recipe', 'nginx'])
  const files = (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((file) => file.isFile() && !file.name.startsWith('.'))
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
    .map((path) => (/^gateway\/(?!policy)/.test(path) ? 'gateway/…' : path))
  const rows = [...(await readFile(join(folder, 'README.md'), 'utf8')).matchAll(/^\| `(.*?)` \|/gm)].map(
    ([, path]) => path,
  )
  expect(rows.toSorted()).toEqual([...new Set(files)].filter((path) => path !== 'README.md').toSorted())
})
