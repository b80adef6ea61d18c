import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createTenantsSchema } from '../../../../src/verify/tenants/tenants-file.ts'
import { fails } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { issuer, policyFile } from '../../../verify/policy/policy-text.ts'
import { runHere } from '../../run-here.ts'

const policy = (header: string) =>
  JSON.stringify(
    policyFile({ rules: [{ name: 'people', issuer, claims: { groups: ['llm-*'] }, headers: { [header]: '{sub}' } }] }),
  )

async function writeTenants({ header, blue = policy('x-account') }: { header?: string; blue?: string } = {}) {
  const directory = await temporaryDirectory()
  const path = (name: string) => join(directory, name)
  await writeFile(path('red.json'), policy('x-user'))
  await writeFile(path('blue.json'), blue)
  const tenants = ['red', 'blue'].map((name) => ({
    name,
    policy: `${name}.json`,
    ...(header === undefined && { hosts: [`models.${name}.example`] }),
  }))
  await writeFile(path('tenants.json'), JSON.stringify({ header, tenants }))
  return { file: path('tenants.json'), path }
}

describe('gatepass gateway policy check --tenants', () => {
  const check = (...argv: string[]) => runHere(['gateway', 'policy', 'check', '--tenants', ...argv])

  test('checks the file and the policy of each tenant', async () => {
    const { file } = await writeTenants()
    expect(await check(file)).toEqual({
      status: 0,
      stderr: '',
      stdout: `The file has 2 tenants: nothing to report.

Tenant red:
This policy works, with 1 rule: nothing to report.
The gateway has to remove these headers from what a caller sends, and set them: x-user.

Tenant blue:
This policy works, with 1 rule: nothing to report.
The gateway has to remove these headers from what a caller sends, and set them: x-account.
`,
    })
  })

  test('ends with the status of the worst of them', async () => {
    const { file, path } = await writeTenants({ blue: '{"rules": 7}' })
    const { status, stdout, stderr } = await check(file, '--json')
    expect({ status, stderr, document: JSON.parse(stdout) }).toEqual({
      status: 1,
      stderr: '',
      document: {
        status: 1,
        document: file,
        findings: [],
        tenants: [
          {
            name: 'red',
            status: 0,
            document: path('red.json'),
            findings: [],
            headers: ['x-user'],
            recipeDigest: '59c5997fd036',
          },
          {
            name: 'blue',
            status: 1,
            document: path('blue.json'),
            findings: [
              {
                path: 'rules',
                code: 'wrong-type',
                severity: 'error',
                line: 1,
                column: 2,
                message: 'expected a list, found a whole number',
                hint: 'write it in [ and ], even if it has one item',
              },
            ],
          },
        ],
      },
    })
  })

  test('reports what is wrong with the file, and reads no policy then', async () => {
    const { file } = await writeTenants()
    await writeFile(file, '{"tenants": [{"name": "red", "policy": "red.json"}]}')
    expect(await check(file)).toEqual({
      status: 1,
      stderr: '',
      stdout: `Errors: no verifier starts with this, and one that runs keeps its earlier policy
  tenants[0]  tenant-unclear  line 1, column 14
    no request can reach this tenant
    → add its hosts, or a header that names the tenant

No verifier starts with this file: 1 error.
`,
    })
  })

  test('refuses standard input, because the policies stand beside the file', async () => {
    expect(await check('-')).toEqual({
      status: 2,
      stdout: '',
      stderr:
        'gatepass: the policies of tenants are found beside their file, so that standard input cannot be checked\ngatepass: hint: name the file of the tenants\n',
    })
  })

  test('has the schema of the parser', async () => {
    const { stdout, ...outcome } = await runHere(['gateway', 'policy', 'schema', '--tenants'])
    expect({ ...outcome, schema: JSON.parse(stdout) }).toEqual({
      status: 0,
      stderr: '',
      schema: JSON.parse(JSON.stringify(createTenantsSchema())),
    })
  })
})

describe('gatepass gateway verifier recipe --tenant', () => {
  const recipe = (gateway: string, ...argv: string[]) => runHere(['gateway', 'verifier', 'recipe', gateway, ...argv])
  const gateways = ['nginx', 'nginx-njs', 'apache', 'haproxy', 'caddy', 'envoy', 'envoy-grpc', 'traefik', 'kong']

  test.each([...gateways, 'azure-api-management'])('%s sets the header that names the tenant', async (gateway) => {
    const { file, path } = await writeTenants({ header: 'X-Tenant' })
    const { stdout: plain } = await recipe(gateway, '--policy', path('blue.json'))
    const { stdout, ...outcome } = await recipe(gateway, '--tenants', file, '--tenant', 'blue')
    const isOwn = (line: string) => !plain.split('\n').includes(line)
    const added = stdout.split('\n').filter(isOwn)
    expect({
      ...outcome,
      isSet: added.some((line) => /x-tenant.*blue/i.test(line)),
      isShort: added.length < 3,
    }).toEqual({
      status: 0,
      stderr: '',
      isSet: true,
      isShort: true,
    })
  })

  test('is made for the host of a tenant that hosts tell apart', async () => {
    const { file } = await writeTenants()
    const { stdout } = await recipe('caddy', '--tenants', file, '--tenant', 'red')
    expect(stdout.match(/^\S+ \{$/gm)?.filter((line) => line.includes('example'))).toEqual(['models.red.example {'])
  })

  const unclear = [
    'it is not clear which policy is meant',
    'name one with --policy FILE, or with --tenants FILE --tenant NAME',
  ] as const

  test.each<[what: string, argv: string[], message: string, hint: string]>([
    ['no tenant', ['--tenants', 'FILE'], ...unclear],
    ['no policy', [], ...unclear],
    [
      'another tenant',
      ['--tenants', 'FILE', '--tenant', 'green'],
      'FILE has no such tenant',
      'name one that it has with --tenant, such as red, blue',
    ],
  ])('%s is an error', async (_, argv, message, hint) => {
    const { file } = await writeTenants()
    expect(await recipe('nginx', ...argv.map((word) => word.replace('FILE', file)))).toEqual(
      fails('gatepass', 2, `${message.replace('FILE', file)}`, `${hint}`),
    )
  })
})
