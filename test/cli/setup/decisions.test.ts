import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseIdentifier } from '../../../src/cli/setup/plan-folder.ts'
import { detectProviderFamily } from '../../../src/contract/identity-providers/detect-family.ts'
import { nameFolder, oktaAnswers, runSetup, toFlags } from './run-setup.ts'

const entra = toFlags({
  ...oktaAnswers,
  issuer: 'https://login.microsoftonline.com/99999999-8888-7777-6666-555555555555/v2.0',
  'client-id': '11111111-2222-3333-4444-555555555555',
  scopes: 'api://gatepass-gw/access',
  recipe: 'nginx',
  systems: 'linux',
  allow: 'roles=llm-users',
})
const nobody = { asked: [], left: [] }
const notComplete = `gatepass: warning: the folder is not complete: the gateway’s policy and recipe are still missing
gatepass: hint: register what registration.md says, then: gatepass setup 'FOLDER' --write --audience …
`

test('only the policy and the recipe wait for an audience that follows later', async () => {
  const folder = await nameFolder()
  const audience = '22222222-3333-4444-5555-666666666666'
  const { stdout: _, ...first } = await runSetup(folder, [...entra, '--audience', 'later'])
  const names = await readdir(folder)
  const { stdout: __, ...second } = await runSetup(folder, ['--write', '--audience', audience])
  const policy = JSON.parse(await readFile(join(folder, 'gateway/policy.json'), 'utf8'))
  expect({
    first,
    written: ['document.json', 'gateway'].filter((name) => names.includes(name)),
    second,
    audiences: policy.issuers[0].audiences,
  }).toEqual({
    first: { status: 1, stderr: notComplete, ...nobody },
    written: ['document.json'],
    second: { status: 0, stderr: '', ...nobody },
    audiences: [audience],
  })
})

test('with Entra ID and tokens of version 2.0 the audience is the client ID of the API', async () => {
  expect(await runSetup(await nameFolder(), [...entra, '--audience', 'api://gatepass-gw'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: --audience cannot be used: tokens of version 2.0 name the API by the application (client) ID of its own registration, and never by its api:// URI; pass that ID, such as 22222222-3333-4444-5555-666666666666, or later
gatepass: hint: correct it; see: gatepass setup --help
`,
    ...nobody,
  })
})

test('says which token is sent where nobody has chosen it', async () => {
  const issuer = 'https://adfs.example.com/adfs'
  const { stdout } = await runSetup(await nameFolder(), toFlags({ ...oktaAnswers, issuer, systems: 'linux' }))
  const { why } = detectProviderFamily({ issuer }).gatewayToken
  expect(stdout.split('\n').slice(2)).toEqual([
    'Nobody has chosen these; to change one, pass its option:',
    `  --scopes none  the ID token is sent; with this provider: ${why}`,
    '',
  ])
})

test('says that no AWS profile is handed out where nobody has chosen it', async () => {
  const bedrock = {
    client: 'in-force',
    'base-url': 'https://bedrock-runtime.eu-central-1.amazonaws.com',
    systems: 'linux',
  }
  const aws = await runSetup(await nameFolder(), [...toFlags(bedrock), '--arg=--profile', '--arg=dev'])
  expect(aws.stdout.split('\n').slice(2)).toEqual([
    'Nobody has chosen these; to change one, pass its option:',
    '  --sso-start-url none  no AWS profile is handed out: people have their own',
    '',
  ])
})

test('setup warns of names of groups', async () => {
  const flags = ['--audience', 'later', '--allow', 'groups=llm-users']
  expect((await runSetup(await nameFolder(), [...entra, ...flags])).stderr).toBe(
    `gatepass: warning: --allow groups=llm-users: Entra ID writes the object IDs of cloud groups into tokens, and not their names
gatepass: hint: pass --allow groups=OBJECT-ID, or better a role of the application: --allow roles=llm-users
${notComplete}`,
  )
})

test('setup names a management tool that gets nothing', async () => {
  const tools = ['--systems', 'macos,windows', '--management', 'intune,jamf']
  expect((await runSetup(await nameFolder(), [...toFlags(oktaAnswers), ...tools])).stderr).toBe(
    `gatepass: warning: nothing is written for jamf: macos is managed by intune, because each system goes to the first tool that can manage it
gatepass: hint: pass --management jamf,intune to have jamf manage what it can; make two folders where both tools manage some machines of a system
`,
  )
})

test.each([
  ['https://gateway.example.com', undefined, 'com.example.gateway'],
  ['https://gateway.example.com', 'com.example.ai', 'com.example.ai'],
  ['https://10.0.0.1:8443', undefined, undefined],
  // A name of Amazon's, which is not the organization's to take.
  ['https://bedrock-runtime.eu-central-1.amazonaws.com', undefined, undefined],
  ['https://vpce-1a2b.bedrock-runtime.eu-central-1.vpce.amazonaws.com', undefined, undefined],
])('the profile of macOS for the gateway %s, with the answer %s, is named %s', (url, identifier, named) => {
  expect(chooseIdentifier({ 'base-url': url, ...(identifier !== undefined && { identifier }) })).toBe(named)
})
