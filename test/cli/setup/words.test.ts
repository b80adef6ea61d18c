import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { normalizeClient } from '../../../src/cli/setup/client-names.ts'
import { runHere } from '../run-here.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const flags = toFlags(oktaAnswers)

test.each([
  ['--management', 'Intune,JAMF', { management: 'intune,jamf' }],
  ['--management', 'GPO', { management: 'group-policy' }],
  ['--systems', 'macOS, Windows', { systems: 'macos,windows' }],
  ['--refresh-token-store', 'File', { 'refresh-token-store': 'file' }],
  ['--outcomes', 'None', { outcomes: 'none' }],
  ['--proxy', 'NONE', { proxy: 'none' }],
  ['--recipe', 'Nginx', { recipe: 'nginx', allow: 'everyone' }],
  ['--client', 'In-Force', { client: 'in-force' }],
  ['--identity', 'Okta', { identity: 'oidc-token' }],
])('%s %s is read as the word that setup knows', async (option, value, expected) => {
  const folder = await nameFolder()
  await runSetup(folder, [...flags, option, value])
  const answers = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
  expect(Object.keys(expected).map((name) => answers[name])).toEqual(Object.values(expected))
})

const tenant = 'https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0'
const clientHint = 'name one of claude-desktop, or a vendor file: gatepass vendor init --help'
const wrongId =
  '--client-id cannot be used: it is not the ID of a registration; pass the application (client) ID, which the overview of the app registration shows, such as 11111111-2222-3333-4444-555555555555'

test.each([
  [['--management', 'intunes'], '--management cannot be used: there is no "intunes"; did you mean intune?'],
  [['--systems', 'linux,sun'], '--systems cannot be used: there is no "sun"; expected linux, macos, windows'],
  [['--refresh-token-store', 'key'], '--refresh-token-store cannot be used: there is no "key"; did you mean keychain?'],
  [['--identity', 'external'], '--identity cannot be used: there is no "external"; did you mean external-idp?'],
  [
    ['--client', '/none/Claud'],
    `--client cannot be used: there is no known client and no file /none/Claud; did you mean claude-desktop?; ${clientHint}`,
  ],
  [['--issuer', tenant], wrongId],
  [
    ['--issuer', 'https://login.microsoftonline.com/acme/v2.0'],
    '--issuer cannot be used: "acme" is not the ID of a tenant; pass https://login.microsoftonline.com/TENANT-ID/v2.0 with the tenant ID, which the overview of Entra ID shows',
  ],
  [
    ['--issuer', 'https://login.microsoftonline.com/acme.example/v2.0'],
    '--issuer cannot be used: acme.example is a domain of the tenant, and every token names the tenant by its ID; open https://login.microsoftonline.com/acme.example/v2.0/.well-known/openid-configuration and pass what stands there behind "issuer"',
  ],
])('refuses %j with the way out', async (wrong, message) => {
  expect(await runSetup(await nameFolder(), [...flags, ...wrong])).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: ${message}\ngatepass: hint: correct it; see: gatepass setup --help\n`,
    asked: [],
    left: [],
  })
})

test('a wrong answer of the command line is refused before a person is asked anything', async () => {
  const { asked, status } = await runSetup(await nameFolder(), ['--client', 'Claud'], [])
  expect({ asked, status }).toEqual({ asked: [], status: 2 })
})

test('a client is known by its title as well, in any case', async () => {
  expect(['Claude Desktop', 'claude DESKTOP', 'CLAUDE-DESKTOP'].map(normalizeClient)).toEqual(
    Array(3).fill('claude-desktop'),
  )
})

test('vendor init takes a client by its title as by its name', async () => {
  const [byName, byTitle] = await Promise.all(
    ['claude-desktop', 'claude desktop'].map((client) => runHere(['vendor', 'init', '--client', client])),
  )
  expect(byTitle).toEqual({ status: 0, stdout: byName?.stdout, stderr: '' })
})

test('setup says what another name for a choice stands for', async () => {
  const { stderr } = await runSetup(await nameFolder(), [...flags, '--identity', 'entra'])
  expect(stderr).toBe('  entra stands for oidc-token\n')
})

test.each(['http://127.0.0.1:8080', 'https://localhost', 'http://[::1]:8080'])(
  'setup warns of the gateway %s in a document for other machines',
  async (baseUrl) => {
    const { status, stderr } = await runSetup(await nameFolder(), [...flags, '--base-url', baseUrl])
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `gatepass: warning: --base-url names this machine (${new URL(baseUrl).hostname}): each desktop would ask itself, and reach no gateway
gatepass: hint: pass --base-url with the address of the gateway before anybody else gets the folder: this one is for a trial on this machine alone
`,
    })
  },
)

const withKey = ['--client', 'in-force', '--base-url', 'https://gateway.example.com', '--identity', 'static']

test('a missing file with the key of everybody is refused', async () => {
  expect(await runSetup(await nameFolder(), [...withKey, '--api-key-file', '/none/key'])).toEqual({
    status: 2,
    stdout: '',
    asked: [],
    left: [],
    stderr: `gatepass: --api-key-file cannot be used: there is no file /none/key\ngatepass: hint: correct it; see: gatepass setup --help\n`,
  })
})

test('the file with the key of everybody is kept as a path from the folder', async () => {
  const folder = await nameFolder()
  await writeFile(`${folder}.key`, 'sk-1234567890abcdef1234567890abcdef')
  const { stdout: _, ...done } = await runSetup(folder, [...withKey, '--api-key-file', `${folder}.key`])
  const { 'api-key-file': kept } = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8'))
  expect({ ...done, kept }).toEqual({ status: 0, stderr: '', asked: [], left: [], kept: '../our rollout.key' })
})
