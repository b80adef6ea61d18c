import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendorRules } from '../../src/vendor/rules.ts'
import { fails } from '../setup/run-program.ts'
import { isRoot } from '../setup/unprivileged.ts'
import { type MachineDesk, otherNames as names, otherSetting, startMachineDesk } from './machine-desk.ts'

const said = (stdout: string, status = 0) => ({ status, stdout, stderr: '' })
const write = async (desk: MachineDesk, text: string) => {
  const path = join(desk.home, 'other.json')
  await writeFile(path, text)
  return path
}

test('show prints every name in force, with the file that sets it', async () => {
  const desk = await startMachineDesk()
  const path = await write(desk, JSON.stringify(otherSetting))
  expect(await desk.run('gatepass', ['--vendor', path, 'vendor'])).toEqual(said(`The names of ${path}\n\n${names}`))
  const { stdout } = await desk.run('gatepass', ['--vendor', path, 'vendor', 'show', '--json'])
  const rows = names.matchAll(/^ {2}(\w+) +(.*?)( {2}\(derived\))?$/gm)
  expect(JSON.parse(stdout)).toEqual({
    from: 'option',
    path,
    names: Object.fromEntries(
      [...rows].map(([, name, value, derived]) => [name, { value, from: derived ? 'derived' : 'given' }]),
    ),
  })
})

test('show of a build says that no client has neutral names', async () => {
  const desk = await startMachineDesk()
  expect(await desk.run('gatepass', ['vendor', 'show'])).toEqual(
    said(`The names of this build

  name                   Vendor
  envPrefix              VENDOR
  headerPrefix           vendor
  cloudWord              Cloud
  keyPrefix              sk-vendor-
  platformEnvPrefix      VENDOR  (derived)
  cloudConfigDirKey      inferenceCloudConfigDir  (derived)
  cloudCliPathKey        inferenceCloudCliPath  (derived)
  awsService             aws-external-vendor  (derived)
  keyHelperTtlVariable   VENDOR_CODE_API_KEY_HELPER_TTL_MS  (derived)
  macosPayloadType       com.vendor.desktop  (derived)
  windowsPolicyKey       SOFTWARE\\Policies\\Vendor  (derived)
  linuxManagedFile       /etc/vendor-desktop/managed-settings.json  (derived)
  codeSigningIdentifier  com.vendor.gatepass  (derived)
  publisher              Gatepass maintainers
  contact                maintainers@gatepass.example
  helpUrl                https://gatepass.example
  licence                Apache-2.0  (derived)
  contextVariable        VENDOR_HELPER_CONTEXT  (derived)
  manualRunVariable      VENDOR_HELPER_MANUAL_RUN  (derived)
  apiKeyVariable         VENDOR_API_KEY  (derived)
  baseUrlVariable        VENDOR_BASE_URL  (derived)
  agentPrefix            VENDOR_CODE  (derived)
  versionHeader          vendor-version  (derived)
  betaHeader             vendor-beta  (derived)
  workspaceHeader        vendor-workspace-id  (derived)

These are neutral names, which reach no client: see gatepass vendor init --help
`),
  )
})

test.runIf(isRoot)('the names of a machine whose file is wrong can be checked', async () => {
  const desk = await startMachineDesk({ ...otherSetting, keyPrefix: 'k' })
  const path = '/etc/gatepass/vendor.json'
  const problem = `keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"`
  expect(await desk.run('gatepass', ['vendor', 'check', path])).toEqual(
    said(`${path} cannot be used:\n  ${problem}\n`, 1),
  )
  expect(await desk.run('gatepass', ['vendor', 'show'])).toEqual({
    status: 3,
    stdout: '',
    stderr: `\
gatepass: /etc/gatepass/vendor.json: keyPrefix: expected at least two of the characters of a key: letters, digits and . _ ~ + / : = -; found "k"
gatepass: hint: correct /etc/gatepass/vendor.json, or move it away to use the names of this build
`,
  })
  await writeFile(desk.vendorFile, JSON.stringify(otherSetting))
  await chmod(desk.machine, 0o777)
  expect(await desk.run('gatepass', ['vendor', 'check', path])).toEqual(
    said(
      `${path} cannot be used:\n  /etc/gatepass can be written by other users (run: sudo chmod go-w '/etc/gatepass')\n`,
      1,
    ),
  )
})

test('check of a good file prints what follows from it', async () => {
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

test('init writes a file from its flags, and replaces none', async () => {
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
    name: 'Acme',
    envPrefix: 'ACME',
    headerPrefix: 'acme',
    cloudWord: 'Cirrus',
    keyPrefix: 'sk-acme-',
    macosPayloadType: 'ai.acme',
  })
  expect(await desk.run('gatepass', argv)).toEqual(
    fails('gatepass', 5, `${path} exists already`, 'name another file with --out, or pass --force to replace it'),
  )
})

test('init without a required flag, or with a wrong one, writes nothing', async () => {
  const desk = await startMachineDesk()
  expect(await desk.run('gatepass', ['vendor', 'init', ...flags])).toEqual(
    fails('gatepass', 2, '--key-prefix is missing', 'pass --key-prefix; see: gatepass vendor init --help'),
  )
  expect(await desk.run('gatepass', ['vendor', 'init', ...flags, '--key-prefix', 'k'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: keyPrefix: expected ${vendorRules.keyPrefix.expected}; found "k"\ngatepass: hint: correct these flags; see: gatepass vendor init --help\n`,
  })
})
