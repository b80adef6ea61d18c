import { expect, test } from 'vitest'
import { createFindTenant } from '../../../src/verify/tenants/tenants-file.ts'

const policy = '/policy.json'
const byHost = createFindTenant({
  tenants: [
    { name: 'red', hosts: ['red.example', '[2001:db8::1]'], policy, revocations: [] },
    { name: 'blue', hosts: ['blue.example'], policy, revocations: [] },
  ],
})
const byHeader = createFindTenant({
  header: 'x-tenant',
  tenants: [
    { name: 'red', hosts: [], policy, revocations: [] },
    { name: 'blue', hosts: [], policy, revocations: [] },
  ],
})

const question = (...rawHeaders: string[]) => ({ method: 'GET', url: '/', rawHeaders })

test.each<[headers: string[], tenant: string | undefined]>([
  [['X-Forwarded-Host', 'red.example'], 'red'],
  [['x-forwarded-host', 'RED.Example:8443'], 'red'],
  [['X-Forwarded-Host', '[2001:db8::1]:443'], 'red'],
  [['X-Forwarded-Host', 'blue.example', 'Host', 'red.example', 'X-Tenant', 'red'], 'blue'],
  [['X-Forwarded-Host', 'red.example.'], undefined],
  [['X-Forwarded-Host', 'red.example', 'x-forwarded-host', 'red.example'], undefined],
  [['X-Forwarded-Host', 'red.example, blue.example'], undefined],
  [['X-Forwarded-Host', 'evil@red.example'], undefined],
  [['X-Forwarded-Host', 'red.example:443:443'], undefined],
  [['X-Forwarded-Host', 'sub.red.example'], undefined],
  [['X-Forwarded-Host', 'constructor'], undefined],
  [['X-Forwarded-Host', ''], undefined],
  [['Host', 'red.example'], undefined],
])('%j is the host of %s', (headers, tenant) => {
  expect(byHost(question(...headers), { from: 'x-forwarded' })).toBe(tenant)
})

test('the host is the one by which the gateway describes the request', () => {
  const asked = { ...question('Host', 'red.example', 'X-Forwarded-Host', 'blue.example') }
  const found = (['request-line', 'x-forwarded', 'nothing'] as const).map((from) => byHost(asked, { from }))
  expect(found).toEqual(['red', 'blue', undefined])
  // Over gRPC the host is beside the headers.
  expect(byHost({ ...asked, host: 'blue.example' }, { from: 'request-line' })).toBe('blue')
})

test.each<[headers: string[], tenant: string | undefined]>([
  [['X-TENANT', 'red'], 'red'],
  [['x-tenant', 'blue', 'host', 'red.example'], 'blue'],
  [['x-tenant', 'red', 'X-Tenant', 'red'], undefined],
  [['x-tenant', 'red,blue'], undefined],
  [['x-tenant', 'Red'], undefined],
  [['x-tenant', 'red '], undefined],
  [['x_tenant', 'red'], undefined],
  [['x-tenant', 'none'], undefined],
  [['x-tenant', '__proto__'], undefined],
  [[], undefined],
])('%j is the header of %s', (headers, tenant) => {
  expect(byHeader(question(...headers), { from: 'nothing' })).toBe(tenant)
})
