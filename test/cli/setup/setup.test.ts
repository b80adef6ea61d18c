import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { recipes } from '../../../src/cli/gateway/verifier/add-verifier.ts'
import { begunPath } from '../../../src/cli/setup/folder.ts'
import { vendor } from '../../../src/vendor.ts'
import { neutralNames } from '../../setup/names.ts'
import { fails } from '../../setup/run-program.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const flags = toFlags(oktaAnswers)

/** A build for a vendor has names that a machine must be told. */
const ofVendor = vendor.name === neutralNames.name ? [] : ['vendor.json']

const created = {
  status: 0,
  stdout: `Wrote ${21 + ofVendor.length} files in FOLDER: README.md says what each is, registration.md what to register.
Then try it before anybody has it: gatepass setup try 'FOLDER'
Nobody has chosen these; to change one, pass its option:
  --identifier com.example.gateway  the configuration profile of macOS: another of this name replaces it
`,
  stderr: '',
  asked: [],
  left: [],
}

const unchanged = { status: 0, stdout: 'Nothing changes in FOLDER.\n', stderr: '', asked: [], left: [] }

test('lists every missing answer at once, with the option that gives it', async () => {
  expect(await runSetup(await nameFolder(), ['--client', 'in-force'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `These answers are missing, and standard input is not a terminal:
  --base-url  Full URL of the gateway
  --issuer    Issuer of the identity provider
gatepass: answers are missing: --base-url, --issuer
gatepass: hint: pass these options, or a JSON file with the same names: --answers FILE
`,
    asked: [],
    left: [],
  })
})

test('says what it has written', async () => {
  expect(await runSetup(await nameFolder(), flags)).toEqual(created)
})

test('writes a folder with all its files', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const names = files
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name).slice(folder.length + 1))
  expect(names.toSorted()).toEqual([
    '.gatepass-setup.json',
    'README.md',
    'answers.json',
    'back.md',
    'document.json',
    ...[
      'linux/detection.sh',
      'linux/explain.sh',
      'linux/managed-settings.json',
      'linux/place-files.sh',
      'machine/oidc-token.json',
    ],
    ...['macos/detection.sh', 'macos/explain.sh', 'macos/place-files.sh', 'macos/profile.mobileconfig'],
    ...['packages.md', 'pilot.md', 'registration.md', ...ofVendor],
    ...['windows/detection.ps1', 'windows/explain.ps1', 'windows/place-files.ps1', 'windows/policy.reg'],
    'windows/undo.reg',
  ])
})

/** Reads the text of a file of a new folder. */
async function readNew(path: string) {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  return readFile(join(folder, path), 'utf8')
}

test('the folder holds the answers', async () => {
  expect(JSON.parse(await readNew('answers.json'))).toEqual({
    client: 'in-force',
    proxy: 'none',
    'base-url': 'https://gateway.example.com',
    ca: 'none',
    identity: 'oidc-token',
    issuer: 'https://example.okta.com',
    'client-id': '0oa1example',
    scopes: 'none',
    'refresh-token-store': 'keychain',
    'redirect-port': '28400',
    ttl: '240',
    systems: 'linux,macos,windows',
    management: 'files',
    outcomes: 'system',
    recipe: 'none',
  })
})

test('the document runs the helper with the answers', async () => {
  const document = JSON.parse(await readNew('document.json'))
  expect(document.inference.credential.args).toEqual([
    ...['--client-id', '0oa1example', '--issuer', 'https://example.okta.com', '--redirect-port', '28400'],
    ...['--refresh-token-store', 'keychain', '--client-ttl', '240', '--client-timeout', '300'],
  ])
})

test('the page about the registration names the address with the port of the answers', async () => {
  expect((await readNew('registration.md')).match(/^.*Register exactly.*$/gm)).toEqual([
    '3. Register exactly http://127.0.0.1:28400/callback in the application, under General, as a "Sign-in redirect URI", for the client 0oa1example.',
  ])
})

test('changes nothing and asks nobody when it is run again', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  expect(await runSetup(folder, [])).toEqual(unchanged)
})

const changed = `changes  machine/oidc-token.json
  +   "proxy": "http://proxy.example:3128",
changes  linux/place-files.sh
changes  macos/place-files.sh
changes  windows/place-files.ps1
changes  answers.json
  -   "proxy": "none",
  +   "proxy": "http://proxy.example:3128",
`
const otherProxy = ['--proxy', 'http://proxy.example:3128']

test('shows what would change, and writes nothing without a yes', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const before = await readFile(join(folder, 'answers.json'), 'utf8')
  const shown = await runSetup(folder, otherProxy)
  const declined = await runSetup(folder, otherProxy, ['n'])
  const nothing = {
    status: 1,
    stdout: changed,
    stderr: 'gatepass: nothing was written; to write it, pass --write\n',
    left: [],
  }
  expect({ shown, declined, answers: await readFile(join(folder, 'answers.json'), 'utf8') }).toEqual({
    shown: { ...nothing, asked: [] },
    declined: { ...nothing, asked: ['Write 5 files? [y/N] '] },
    answers: before,
  })
})

test('writes what changes with --write, and then has nothing to do', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const wrote = { status: 0, stdout: `${changed}Wrote 5 changes in FOLDER.\n`, stderr: '' }
  expect(await runSetup(folder, [...otherProxy, '--write'])).toEqual({ ...wrote, asked: [], left: [] })
  expect(await runSetup(folder, [])).toEqual(unchanged)
})

test('removes what the answers no longer ask for', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const { stdout, ...rest } = await runSetup(folder, ['--systems', 'linux', '--write'])
  const removed = [...stdout.matchAll(/^removed {2}(.*)$/gm)].map(([, path]) => path)
  expect({ ...rest, removed, files: (await readdir(folder)).toSorted() }).toEqual({
    status: 0,
    stderr: '',
    asked: [],
    left: [],
    removed: [
      ...['macos/place-files.sh', 'windows/place-files.ps1', 'macos/profile.mobileconfig', 'macos/detection.sh'],
      ...['windows/policy.reg', 'windows/detection.ps1', 'windows/undo.reg', 'macos/explain.sh', 'windows/explain.ps1'],
    ],
    files: [
      ...['.gatepass-setup.json', 'README.md', 'answers.json', 'back.md', 'document.json', 'linux', 'machine'],
      ...['packages.md', 'pilot.md', 'registration.md', ...ofVendor],
    ],
  })
})

test.each([
  [['--issuer', 'http://id.example.com'], '--issuer cannot be used: a sign-in needs https; use https://'],
  [
    ['--issuer', 'https://login.microsoftonline.com/common/v2.0'],
    '--issuer cannot be used: it names no tenant, and every token names one: whoever compares them refuses the token; put the ID of the tenant into --issuer instead of common',
  ],
  [['--sso-role', 'X'], '--sso-role does not go with --identity oidc-token', 'remove --sso-role'],
  [
    ['--audience', 'X'],
    '--audience does not go with --recipe none',
    `remove --audience; it goes with --recipe ${Object.keys(recipes).join(', ')}`,
  ],
  [
    ['--api-key-file', '/k'],
    '--api-key-file does not go with --identity oidc-token',
    'remove --api-key-file; it goes with --identity static',
  ],
  [
    ['--systems', 'linux', '--management', 'jamf'],
    '--management cannot be used: jamf manages macos, but --systems is linux',
  ],
  [
    ['--base-url', 'http://gateway.example.com'],
    '--base-url cannot be used: it would carry the token unencrypted to gateway.example.com; use https://',
  ],
])('refuses %j', async (wrong, message, hint = 'correct it; see: gatepass setup --help') => {
  const folder = await nameFolder()
  const { status, stdout, stderr } = await runSetup(folder, [...flags, ...wrong])
  expect({ status, stdout, stderr, exists: existsSync(folder) }).toEqual({
    ...fails('gatepass', 2, message, hint),
    exists: false,
  })
})

test('answers come from the command line, then from the answers file, then from the folder', async () => {
  const folder = await nameFolder()
  const file = `${folder}.json`
  const read = async () => {
    const { ttl, systems, outcomes } = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
    return { ttl, systems, outcomes }
  }
  await writeFile(file, JSON.stringify({ ...oktaAnswers, ttl: 300, systems: ['linux'], outcomes: 'none' }))
  await runSetup(folder, ['--answers', file, '--ttl', '400'])
  const first = await read()
  await writeFile(file, JSON.stringify({ ttl: 300 }))
  await runSetup(folder, ['--answers', file, '--write'])
  expect([first, await read()]).toEqual([
    { ttl: '400', systems: 'linux', outcomes: 'none' },
    { ttl: '300', systems: 'linux', outcomes: 'none' },
  ])
})

test.each([
  [
    { clientId: 'x', base_url: 'y' },
    'there is no answer "clientId", did you mean "client-id"?; there is no answer "base_url", did you mean "base-url"?',
  ],
  [
    { ttll: 300, systems: 4, issuer: {} },
    'there is no answer "ttll", did you mean "ttl"?; issuer is neither text nor a list of texts',
  ],
])('the answers %j of a file cannot be used', async (answers, problems) => {
  const folder = await nameFolder()
  const file = `${folder}.json`
  await writeFile(file, JSON.stringify(answers))
  expect(await runSetup(folder, ['--answers', file])).toEqual({
    status: 2,
    stdout: '',
    asked: [],
    left: [],
    stderr: `gatepass: FOLDER.json has answers that cannot be used: ${problems}
gatepass: hint: write one JSON object with a key for each option
`,
  })
})

/** The places of one answer; an absent one says nothing. */
interface AnswerPlaces {
  readonly option?: string
  readonly file?: string
  readonly begun?: string
  readonly kept?: string
  readonly person?: string
}

const places = { option: 'linux', file: 'macos', begun: 'windows', kept: 'macos,linux', person: 'windows,linux' }

// Each place counts before those of the rows below it.
test.each<[what: string, places: AnswerPlaces, systems: string]>([
  ['the option', places, 'linux'],
  ['the answers file', { file: places.file, begun: places.begun, kept: places.kept, person: places.person }, 'macos'],
  ['a run that was cut off', { begun: places.begun, kept: places.kept, person: places.person }, 'windows'],
  ['the folder', { kept: places.kept, person: places.person }, 'macos,linux'],
  ['a person', { person: places.person }, 'windows,linux'],
  ['the default', {}, 'linux,macos,windows'],
])('an answer comes from %s', async (_what, { option, file, begun, kept, person }, systems) => {
  const folder = await nameFolder()
  if (kept !== undefined) await runSetup(folder, [...flags, '--systems', kept])
  await mkdir(folder, { recursive: true })
  if (begun !== undefined) await writeFile(join(folder, begunPath), JSON.stringify({ systems: begun }))
  const answers = `${folder}.json`
  await writeFile(answers, JSON.stringify(file === undefined ? {} : { systems: file }))
  const own = option === undefined ? [] : ['--systems', option]
  const ask = (question: string) => (question.startsWith('Systems') ? person! : '')
  const told = [...flags, ...own, '--answers', answers, '--write']
  const { status } = await runSetup(folder, told, person === undefined ? undefined : ask)
  const written = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
  expect({ status, systems: written.systems }).toEqual({ status: 0, systems })
})

test('a run that was killed while it prepared its files leaves the old folder', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const stage = join(folder, '.gatepass-setup.new')
  const before = await readFile(join(folder, 'pilot.md'), 'utf8')
  await mkdir(stage)
  await writeFile(join(stage, '0'), 'half a fi')
  expect({ next: await runSetup(folder, []), plan: await readFile(join(folder, 'pilot.md'), 'utf8') }).toEqual({
    next: unchanged,
    plan: before,
  })
})

test('a run that was killed while it moved its files is completed by the next run', async () => {
  const folder = await nameFolder()
  await runSetup(folder, flags)
  const stage = join(folder, '.gatepass-setup.new')
  await mkdir(stage)
  await writeFile(join(stage, '1'), 'the new plan')
  await writeFile(
    join(stage, 'plan.json'),
    JSON.stringify({
      moves: [
        ['0', 'README.md'],
        ['1', 'sub/pilot.md'],
      ],
      removed: ['packages.md'],
      saved: [],
    }),
  )
  await runSetup(folder, [])
  const removed = ['packages.md', '.gatepass-setup.new']
  expect({
    plan: await readFile(join(folder, 'sub/pilot.md'), 'utf8'),
    left: (await readdir(folder)).filter((name) => removed.includes(name)),
  }).toEqual({ plan: 'the new plan', left: [] })
})

test.runIf(process.platform === 'linux')(
  'a folder that cannot be made is refused, also where a recursive mkdir never ends',
  async () => {
    expect(await runSetup('/proc/gatepass-none/x', flags)).toEqual({
      status: 5,
      stdout: '',
      stderr: 'gatepass: the folder FOLDER cannot be created (ENOENT)\ngatepass: hint: name another folder\n',
      asked: [],
      left: [],
    })
  },
)

test('--json prints the files with the answers of the folder, and an option changes one', async () => {
  const folder = await nameFolder()
  await runSetup(folder, [...flags, '--systems', 'linux'])
  const { stdout, ...printed } = await runSetup(folder, ['--json', '--outcomes', 'none'])
  const { files, ...planned } = JSON.parse(stdout)
  const texts = new Map(files.map((file: { path: string; base64: string }) => [file.path, file.base64]))
  const text = Buffer.from(String(texts.get('answers.json')), 'base64').toString()
  const kept = await readFile(join(folder, 'answers.json'), 'utf8')
  expect({ printed, planned, text }).toEqual({
    printed: { status: 0, stderr: '', asked: [], left: [] },
    planned: { status: 0, findings: expect.any(Array), open: [], missing: '', differences: [] },
    text: kept.replace('"outcomes": "system"', '"outcomes": "none"'),
  })
})
