import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendorRules } from '../../src/vendor/rules.ts'
import { isRoot } from '../setup/unprivileged.ts'
import { type MachineDesk, otherSetting, startMachineDesk } from './machine-desk.ts'

const said = (stdout: string, status = 0) => ({ status, stdout, stderr: '' })
const write = async (desk: MachineDesk, text: string) => {
  const path = join(desk.home, 'other.json')
  await writeFile(path, text)
  return path
}

const names = `\
  name                   Example, Inc.
  envPrefix              EX_AI
  headerPrefix           x-example.ai
  cloudWord              Nimbus
  keyPrefix              ek_live.
  platformEnvPrefix      EX_AI  (derived)
  cloudConfigDirKey      inferenceNimbusConfigDir  (derived)
  cloudCliPathKey        inferenceNimbusCliPath  (derived)
  awsService             nimbus.models
  keyHelperTtlVariable   EX_AI_CODE_API_KEY_HELPER_TTL_MS  (derived)
  macosPayloadType       ai.example.Client
  windowsPolicyKey       SOFTWARE\\Policies\\Example, Inc.  (derived)
  linuxManagedFile       /etc/example-inc-desktop/managed-settings.json  (derived)
  codeSigningIdentifier  com.example-inc.gatepass  (derived)
  publisher              unnamed publisher  (derived)
  licence                Apache-2.0  (derived)
  contextVariable        EX_AI_HELPER_CONTEXT  (derived)
  manualRunVariable      EX_AI_HELPER_MANUAL_RUN  (derived)
  apiKeyVariable         EX_AI_API_KEY  (derived)
  baseUrlVariable        EX_AI_BASE_URL  (derived)
  agentPrefix            EX_AI_CODE  (derived)
  versionHeader          x-example.ai-version  (derived)
  betaHeader             x-example.ai-beta  (derived)
  workspaceHeader        x-example.ai-workspace-id  (derived)
`

test('show says every name in force, and which file says it', async () => {
  const desk = await startMachineDesk()
  const path = await write(desk, JSON.stringify(otherSetting))
  expect(await desk.run('gatepass', ['--vendor', path, 'vendor'])).toEqual(said(`The names of ${path}\n\n${names}`))
  const { stdout } = await desk.run('gatepass', ['--vendor', path, 'vendor', 'show', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ from: 'option', path },
    names: { name: { value: 'Example, Inc.', from: 'given' }, betaHeader: { from: 'derived' } },
  })
})

test('show of a build says so, and that no client has neutral names', async () => {
  const { stdout } = await (await startMachineDesk()).run('gatepass', ['vendor', 'show'])
  expect(stdout).toMatch(/^The names of this build\n\n {2}name {19}Vendor\n/)
  expect(stdout).toMatch(/\n\nThese are neutral names, which reach no client: see gatepass vendor init --help\n$/)
})

test.runIf(isRoot)('of a machine whose file is wrong it can be asked what is', async () => {
  const desk = await startMachineDesk({ ...otherSetting, keyPrefix: 'k' })
  const path = '/etc/gatepass/vendor.json'
  const problem = `keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"`
  expect(await desk.run('gatepass', ['vendor', 'check', path])).toEqual(
    said(`${path} cannot be used:\n  ${problem}\n`, 1),
  )
  expect(await desk.run('gatepass', ['vendor', 'show'])).toMatchObject({ status: 3, stdout: '' })
  await writeFile(desk.vendorFile, JSON.stringify(otherSetting))
  await chmod(desk.machine, 0o777)
  expect(await desk.run('gatepass', ['vendor', 'check', path])).toEqual(
    said(
      `${path} cannot be used:\n  /etc/gatepass can be written by other users (run: sudo chmod go-w '/etc/gatepass')\n`,
      1,
    ),
  )
})

test('check of a good file says what follows from it', async () => {
  const desk = await startMachineDesk()
  const path = await write(desk, `\ufeff${JSON.stringify(otherSetting)}`)
  expect(await desk.run('gatepass', ['vendor', 'check', path])).toEqual(
    said(`${path} can be used. These names follow from it; look up those that are derived.\n\n${names}`),
  )
})

test('check says where a file is not JSON, and which key it has twice', async () => {
  const desk = await startMachineDesk()
  const path = await write(desk, '{\n  "name": Example\n}')
  const check = () => desk.run('gatepass', ['vendor', 'check', path])
  expect(await check()).toEqual(said(`${path} is not JSON (line 2, column 11).\n`, 2))
  await write(desk, JSON.stringify(otherSetting).replace('{', '{"name":"Other",'))
  expect(await check()).toEqual(said(`${path} cannot be used:\n  name stands there twice\n`, 1))
})

const flags = ['--name', 'Acme', '--env-prefix', 'ACME', '--header-prefix', 'acme', '--cloud-word', 'Cirrus']

test('init writes a file from its flags, which can be checked, and replaces none', async () => {
  const desk = await startMachineDesk()
  const path = join(desk.home, 'vendor.json')
  const argv = [
    'vendor',
    'init',
    ...flags,
    '--key-prefix',
    'sk-acme-',
    '--macos-payload-type',
    'ai.acme',
    '--out',
    path,
  ]
  expect(await desk.run('gatepass', argv)).toEqual(said(''))
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({
    ...{ name: 'Acme', envPrefix: 'ACME', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' },
    macosPayloadType: 'ai.acme',
  })
  expect(await desk.run('gatepass', argv)).toMatchObject({
    status: 5,
    stderr: `gatepass: ${path} exists already\ngatepass: hint: name another file with --out, or pass --force to replace it\n`,
  })
})

test('init without a flag that is needed, or with a wrong one, writes nothing', async () => {
  const desk = await startMachineDesk()
  expect(await desk.run('gatepass', ['vendor', 'init', ...flags])).toMatchObject({ status: 2, stdout: '' })
  expect(await desk.run('gatepass', ['vendor', 'init', ...flags, '--key-prefix', 'k'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"\ngatepass: hint: correct these flags; see: gatepass vendor init --help\n`,
  })
})
