import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { examineInstalledClient, listDifferences } from '../../../src/client/installed-client.ts'
import { knownClients } from '../../../src/vendor/known-clients.ts'
import { toVendor } from '../../../src/vendor/setting.ts'
import { startWindowsMachine, type WindowsMachine } from './windows-machine.ts'

const [client] = knownClients
const names = toVendor(client!.setting)

let machine: WindowsMachine
beforeAll(async () => {
  machine = await startWindowsMachine()
})
afterAll(() => machine.close())

/** Runs Wine's own `reg` over its registry. */
async function reg(args: readonly string[]): Promise<string | undefined> {
  const line = args.map((arg) => (arg.includes(' ') ? `"${arg}"` : arg)).join(' ')
  await writeFile(join(machine.directory, 'run.cmd'), `@reg ${line}\r\n`)
  const status = await machine.runScript('run.cmd', { stdout: 'out.txt' })
  return status === 0 ? readFile(join(machine.directory, 'out.txt'), 'utf8') : undefined
}

/** One after the other, because they share a file. */
let last: Promise<unknown> = Promise.resolve()
const windows = {
  ...({ platform: 'win32', root: '', home: 'C:\\users\\ann' } as const),
  run: (program: string, args: readonly string[]) => {
    expect(program).toBe('reg')
    const answer = last.then(() => reg(args))
    last = answer
    return answer
  },
}

const add = (key: string, name: string, value: string) => reg(['add', key, '/v', name, '/d', value, '/f', '/reg:64'])

test('nothing is found on a new machine', async () => {
  expect(await examineInstalledClient(windows, names)).toEqual({ applications: [], policies: [], unread: [] })
})

test('a policy in either hive is found by a key of the document', async () => {
  await add('HKLM\\SOFTWARE\\Policies\\Other', 'setting', 'x')
  await add('HKCU\\SOFTWARE\\Policies\\Acme Corp\\AI', 'inferenceProvider', 'gateway')
  const location = 'HKEY_CURRENT_USER\\SOFTWARE\\Policies\\Acme Corp\\AI'
  const seen = await examineInstalledClient(windows, names)
  const differences = listDifferences(names, 'win32', seen)
  await add(`HKLM\\${names.windowsPolicyKey}`, 'inferenceProvider', 'gateway')
  const after = listDifferences(names, 'win32', await examineInstalledClient(windows, names))
  const name = 'SOFTWARE\\Policies\\Acme Corp\\AI'
  expect({ seen, differences, after }).toEqual({
    seen: { applications: [], policies: [{ name, location }], unread: [] },
    differences: [{ name: 'windowsPolicyKey', given: names.windowsPolicyKey, found: name, location }],
    after: [],
  })
})

test('the release of a client comes from its installer, or else from its package', async () => {
  const applications = async () => (await examineInstalledClient(windows, names)).applications
  const uninstall = `HKCU\\SOFTWARE\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\${client!.installed.windowsUninstallKey}`
  await add(uninstall, 'DisplayVersion', '1.7196.0')
  expect(await applications()).toEqual([{ client, title: client!.title, location: uninstall, release: '1.7196.0' }])
  const full = client!.installed.windowsPackage.replace('_', '_1.24012.11.0_x64__')
  await add(
    `HKCU\\SOFTWARE\\Classes\\Local Settings\\Software\\Microsoft\\Windows\\CurrentVersion\\AppModel\\Repository\\Packages\\${full}`,
    'PackageID',
    full,
  )
  expect(await applications()).toEqual([
    { client, title: client!.title, location: `the package ${full}`, release: '1.24012.11' },
  ])
})
