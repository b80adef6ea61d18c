import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { knownClients } from '../../src/vendor/known-clients.ts'
import { fails } from '../setup/run-program.ts'
import { startMachineDesk } from './machine-desk.ts'

const [client] = knownClients
const setting = client!.setting

/** Starts a machine with this document as the managed file that the vendor file names, and a package database of its own. */
async function startInstalled(names: object, packages = '') {
  const desk = await startMachineDesk()
  const managed = join(desk.home, 'managed-settings.json')
  const path = join(desk.home, 'vendor.json')
  await writeFile(path, JSON.stringify({ ...names, linuxManagedFile: managed }))
  const database = join(desk.home, 'dpkg')
  await mkdir(database)
  await writeFile(join(database, 'status'), packages)
  const run = (...argv: string[]) =>
    desk.run('gatepass', ['vendor', 'check', ...argv], { DPKG_ADMINDIR: database, PATH: '/usr/bin:/bin' })
  return { managed, path, run }
}

const debian = `Package: ${client!.installed.linuxPackage}
Status: install ok installed
Architecture: amd64
Maintainer: made up
Description: made up
Version: 1:1.46388.4-1

`

test('a managed file at the path of the vendor file is a policy that differs in nothing', async () => {
  const { managed, path, run } = await startInstalled(setting)
  await writeFile(managed, JSON.stringify({ inferenceProvider: 'gateway' }))
  expect(await run(path, '--installed')).toEqual({
    status: 0,
    stderr: '',
    stdout: `On this machine:\n  a policy: ${managed}\n\nNo name of ${path} differs.\n`,
  })
})

test('the command ends with 3 where there is nothing to compare with', async () => {
  const { path, managed, run } = await startInstalled(setting)
  const nothing = {
    status: 3,
    stderr: '',
    stdout: `No client whose names are known, and no policy with a key of the document, is on this machine.
Look up linuxManagedFile in the documentation of your client.
`,
  }
  expect(await run(path, '--installed')).toEqual(nothing)
  await writeFile(managed, '{"theme": "dark"}')
  expect(await run(path, '--installed')).toEqual(nothing)
})

test('the package of a known client shows its release, and which names of the file differ', async () => {
  const { path, managed, run } = await startInstalled({ ...setting, envPrefix: 'CLAUD' }, debian)
  const location = `the package ${client!.installed.linuxPackage}`
  const differences = [
    { name: 'envPrefix', given: 'CLAUD', found: 'CLAUDE', location },
    { name: 'linuxManagedFile', given: managed, found: setting.linuxManagedFile, location },
  ]
  expect(await run(path, '--installed')).toEqual({
    status: 1,
    stderr: '',
    stdout: [
      'On this machine:',
      `  Claude Desktop 1.46388.4: ${location}`,
      '',
      `2 names of ${path} differ:`,
      ...differences.map(({ name, given, found }) => `  ${name}: "${given}" here, "${found}" by ${location}`),
      '',
      'If people here use Claude Desktop, write its names: gatepass vendor init --client claude-desktop --out vendor.json --force',
      '',
    ].join('\n'),
  })
  const { status, stdout } = await run(path, '--installed', '--json')
  expect({ status, answer: JSON.parse(stdout) }).toEqual({
    status: 1,
    answer: {
      source: path,
      applications: [{ client: 'claude-desktop', title: 'Claude Desktop', location, release: '1.46388.4' }],
      policies: [],
      unread: [],
      differences,
    },
  })
})

test('a removed package whose configuration stays is not installed', async () => {
  const { path, run } = await startInstalled(
    setting,
    debian.replace('install ok installed', 'deinstall ok config-files'),
  )
  expect(await run(path, '--installed')).toEqual({
    status: 3,
    stdout: `\
No client whose names are known, and no policy with a key of the document, is on this machine.
Look up linuxManagedFile in the documentation of your client.
`,
    stderr: '',
  })
})

test('an unusable file, a missing file, and --json alone are refused', async () => {
  const { path, run } = await startInstalled({ name: 'x' })
  const refused = (message: string, hint: string) => fails('gatepass', 2, message, hint)
  expect(await run(path, '--installed')).toEqual(
    refused(`${path} cannot be used`, `correct it; see: gatepass vendor check '${path}'`),
  )
  expect(await run()).toEqual(
    refused('there is no file to check', 'name one, or pass --installed; see: gatepass vendor check --help'),
  )
  expect(await run(path, '--json')).toEqual(
    refused('--json is for --installed', 'pass --installed too, or remove --json'),
  )
})
