import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { build } from 'plist'
import { expect, test } from 'vitest'
import { examineInstalledClient, listDifferences } from '../../src/client/installed-client.ts'
import { knownClients } from '../../src/vendor/known-clients.ts'
import { toVendor } from '../../src/vendor/setting.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const [client] = knownClients
const names = toVendor(client!.setting)
const acme = toVendor({
  name: 'Acme',
  envPrefix: 'ACME',
  headerPrefix: 'acme',
  cloudWord: 'Cirrus',
  keyPrefix: 'ak-acme-',
  macosPayloadType: 'ai.acme.client',
})
const document = { inferenceProvider: 'gateway', inferenceGatewayBaseUrl: 'https://gateway.example.com' }

/** Writes a directory that stands for the root of a Mac, because none runs here. */
async function writeMac(files: Record<string, string>) {
  const root = await temporaryDirectory()
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  return { platform: 'darwin', root, home: '/Users/ann', run: async () => undefined } as const
}

const writeBundle = (identifier: string, version: string) =>
  build({ CFBundleIdentifier: identifier, CFBundleShortVersionString: version, CFBundleURLTypes: [{ x: true }] })

test('on a Mac, the bundle of a known client and the policy of its domain are found, for one user too', async () => {
  const machine = await writeMac({
    '/Applications/Claude.app/Contents/Info.plist': writeBundle(names.macosPayloadType, '1.46388.4'),
    '/Applications/Other.app/Contents/Info.plist': writeBundle('com.example.other', '1.0'),
    '/Library/Managed Preferences/com.example.other.plist': build({ setting: 'x' }),
    [`/Library/Managed Preferences/ann/${names.macosPayloadType}.plist`]: build(document),
  })
  const seen = await examineInstalledClient(machine, names)
  expect({ seen, differences: listDifferences(names, 'darwin', seen) }).toEqual({
    seen: {
      applications: [{ client, title: 'Claude Desktop', location: '/Applications/Claude.app', release: '1.46388.4' }],
      policies: [
        {
          name: names.macosPayloadType,
          location: `/Library/Managed Preferences/ann/${names.macosPayloadType}.plist`,
        },
      ],
      unread: [],
    },
    differences: [],
  })
})

test('on a Mac, an unknown client is found by the identifier of the vendor file', async () => {
  const machine = await writeMac({
    '/Users/ann/Applications/Acme.app/Contents/Info.plist': writeBundle('ai.acme.client', '7.1'),
    '/Applications/Broken.app/Contents/Info.plist': '<plist',
  })
  const seen = await examineInstalledClient(machine, acme)
  expect({ seen, differences: listDifferences(acme, 'darwin', seen) }).toEqual({
    seen: {
      applications: [{ title: 'Acme', location: '/Users/ann/Applications/Acme.app', release: '7.1' }],
      policies: [],
      unread: [],
    },
    differences: [],
  })
})

test('a policy under another domain is a difference, unless one stands under the right domain', async () => {
  const path = '/Library/Managed Preferences/ai.acme.desktop.plist'
  const seen = await examineInstalledClient(await writeMac({ [path]: build(document) }), acme)
  const both = { ...seen, policies: [...seen.policies, { name: 'ai.acme.client', location: 'elsewhere' }] }
  expect([seen, both].map((each) => listDifferences(acme, 'darwin', each))).toEqual([
    [{ name: 'macosPayloadType', given: 'ai.acme.client', found: 'ai.acme.desktop', location: path }],
    [],
  ])
})

test('every name that differs from a known client on the machine is listed', () => {
  const applications = [{ client: client!, title: client!.title, location: 'the package p' }]
  const differing = { ...client!.setting, envPrefix: 'CLAUD', headerPrefix: 'x-anthropic' }
  expect(listDifferences(toVendor(differing), 'linux', { applications, policies: [], unread: [] })).toEqual([
    { name: 'envPrefix', given: 'CLAUD', found: 'CLAUDE', location: 'the package p' },
    { name: 'headerPrefix', given: 'x-anthropic', found: 'anthropic', location: 'the package p' },
  ])
})

test('Windows takes the names of keys in any case', () => {
  const policies = [{ name: 'Software\\policies\\ACME', location: 'HKEY_LOCAL_MACHINE\\Software\\policies\\ACME' }]
  expect(listDifferences(acme, 'win32', { applications: [], policies, unread: [] })).toEqual([])
})
