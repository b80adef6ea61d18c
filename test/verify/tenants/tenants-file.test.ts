import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createTenantsSchema, readTenantsFile, requireTenants } from '../../../src/verify/tenants/tenants-file.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** Reads a file with this text; its directory is called `DIRECTORY`. */
async function readText(text: string) {
  const directory = await temporaryDirectory()
  const file = join(directory, 'tenants.json')
  await writeFile(file, text)
  const reading = await readTenantsFile(file, 'anybody')
  return JSON.parse(JSON.stringify(reading).replaceAll(directory, 'DIRECTORY')) as typeof reading
}

const read = (value: unknown) => readText(JSON.stringify(value))
const red = { name: 'red', hosts: ['red.example', 'red.example.net'], policy: 'red/policy.json' }
const blue = { name: 'blue', hosts: ['blue.example'], policy: '/srv/blue.json' }

test('every path is beside the file', async () => {
  const files = { log: 'red.log', audit: 'audit/red.jsonl', revocations: ['red/revoked.jsonl', 'redis'] }
  expect(await read({ tenants: [{ ...red, ...files }, blue] })).toEqual({
    findings: [],
    tenants: {
      tenants: [
        {
          ...red,
          policy: 'DIRECTORY/red/policy.json',
          log: 'DIRECTORY/red.log',
          audit: 'DIRECTORY/audit/red.jsonl',
          revocations: ['DIRECTORY/red/revoked.jsonl', 'redis'],
        },
        { ...blue, revocations: [] },
      ],
    },
  })
})

test('a header names tenants in place of hosts', async () => {
  const tenants = [
    { name: 'red', policy: 'red.json' },
    { name: 'blue-2', policy: 'blue.json' },
  ]
  expect(await read({ header: 'X-Tenant', tenants })).toEqual({
    findings: [],
    tenants: {
      header: 'x-tenant',
      tenants: [
        { name: 'red', hosts: [], policy: 'DIRECTORY/red.json', revocations: [] },
        { name: 'blue-2', hosts: [], policy: 'DIRECTORY/blue.json', revocations: [] },
      ],
    },
  })
})

const unclear = (path: string, message: string, hint: string) => ({ path, code: 'tenant-unclear', message, hint })
const invalid = (path: string, message: string, hint: string) => ({ path, code: 'invalid-value', message, hint })
const nameHint = 'write lower-case letters, digits and dashes between them, such as team-red; not "none"'
const hostHint = 'write one whole name in lower case, without a port, a pattern, and a dot at its end'

test.each<[what: string, value: unknown, findings: object[]]>([
  [
    'two tenants of one name, and a host that two have',
    { tenants: [red, { ...blue, name: 'red', hosts: ['blue.example', 'red.example'] }] },
    [
      unclear('tenants[1].name', 'another tenant has this name', 'choose another one'),
      unclear('tenants[1].hosts[1]', 'this host is there already', 'give each host to one tenant, once'),
    ],
  ],
  [
    'a tenant without hosts',
    { tenants: [red, { name: 'blue', policy: 'blue.json' }] },
    [unclear('tenants[1]', 'no request can reach this tenant', 'add its hosts, or a header that names the tenant')],
  ],
  [
    'hosts beside a header',
    { header: 'x-tenant', tenants: [red] },
    [unclear('tenants[0].hosts', 'the header names the tenant, and no host does', 'remove hosts, or header')],
  ],
  ...['none', 'Red', 'a b', '-red', 'red-', 'röd'].map((name): [string, unknown, object[]] => [
    `the name ${name}`,
    { tenants: [{ ...red, name }] },
    [invalid('tenants[0].name', 'it cannot be the name of a tenant', nameHint)],
  ]),
  ...['Red.example', 'red.example:443', 'red.example.', '*.red.example', 'a/b'].map(
    (host): [string, unknown, object[]] => [
      `the host ${host}`,
      { tenants: [{ ...red, hosts: [host] }] },
      [invalid('tenants[0].hosts[0]', 'no host of a request is this one', hostHint)],
    ],
  ),
  ...['x tenant', 'x_tenant', 'x-tenant"', ':path'].map((header): [string, unknown, object[]] => [
    `the header ${header}`,
    { header, tenants: [{ name: 'red', policy: 'red.json' }] },
    [
      invalid(
        'header',
        'no gateway can set a header of this name',
        'write letters, digits and dashes, such as x-gatepass-tenant',
      ),
    ],
  ]),
  [
    'a misspelled key',
    { tenants: [{ ...red, polcy: 'a' }] },
    [
      {
        path: 'tenants[0].polcy',
        code: 'unknown-key',
        message: 'there is no such key',
        hint: 'did you mean "policy"?',
      },
    ],
  ],
  [
    'nobody',
    { tenants: [] },
    [
      {
        path: 'tenants',
        code: 'out-of-range',
        message: 'it is empty',
        hint: 'fill it in, or remove it if it may be absent',
      },
    ],
  ],
])('%s is an error', async (_, value, expected) => {
  const { tenants, findings } = await read(value)
  const found = findings.map(({ line: _line, column: _column, severity, ...finding }) => ({ severity, ...finding }))
  expect({ tenants, found }).toEqual({
    tenants: undefined,
    found: expected.map((finding) => ({ severity: 'error', ...finding })),
  })
})

test('a missing file is reported with the command that says more', async () => {
  const file = join(await temporaryDirectory(), 'tenants.json')
  const reading = await readTenantsFile(file, 'its owner')
  expect(() => requireTenants(file, reading)).toThrow(
    new HelperError(
      'not-configured',
      `the tenants of ${file} cannot be used: there is no ${file}`,
      `see everything that is wrong: gatepass gateway policy check --tenants '${file}'`,
    ),
  )
})

const page = await readFile(join(root, 'docs/gateways/tenants.md'), 'utf8')

test('the page has a file of tenants without errors', async () => {
  const [, example = ''] = /^```json\n(.*?)^```$/ms.exec(page) ?? []
  const { tenants, findings } = await readText(example)
  expect({ findings, names: tenants?.tenants.map(({ name }) => name) }).toEqual({
    findings: [],
    names: ['red', 'blue'],
  })
})

test('the page has every key of a file of tenants', () => {
  const { properties } = createTenantsSchema() as { properties: { tenants: { items: { properties: object } } } }
  const keys = ['header', ...Object.keys(properties.tenants.items.properties).map((key) => `tenants[].${key}`)]
  expect(page.match(/(?<=^\| `)(header|tenants\[\]\.\w+)(?=` \|)/gm)).toEqual(keys)
})
