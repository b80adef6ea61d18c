import { describe, expect, test } from 'vitest'
import { probeHost } from './probe.ts'
import { profileKinds } from './profile-kinds.ts'
import { type ParityRow, readExample, readRows } from './read-tables.ts'
import { settings, withSetting } from './settings.ts'
import { expectNoChange, type Proof, variables, withVariable } from './variables.ts'

const tables = [
  { heading: 'Variables', rows: await readRows('Variables'), proofs: variables, change: withVariable },
  {
    heading: 'Settings of a profile',
    rows: await readRows('Settings of a profile'),
    proofs: settings,
    change: withSetting,
  },
]

test('every row of "Kinds of profiles" in docs/aws.md has its proof, and every proof its row', async () => {
  const kinds = Object.entries(profileKinds).map(([name, { identity }]) => ({ name, served: identity ? 'yes' : 'no' }))
  expect(await readRows('Kinds of profiles')).toEqual(kinds)
})

test('the example of "Endpoints" in docs/aws.md sets the endpoint of its own service alone', async () => {
  const keys = { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 's' }
  const given = { config: await readExample('Endpoints'), credentials: { dev: keys } }
  expect([await probeHost(given, 'sts', 'dev'), await probeHost(given, 'ssm', 'dev')]).toEqual([
    'vpce-0a1b2c3d.sts.us-gov-west-1.vpce.amazonaws.com',
    'ssm.us-gov-west-1.amazonaws.com',
  ])
})

describe.each(tables)('docs/aws.md, $heading', ({ rows, proofs, change }) => {
  test('every row has its proof, and every proof its row', () => {
    expect(rows.map(({ name }) => name).toSorted()).toEqual(Object.keys(proofs).toSorted())
  })

  const here = rows.filter(({ name }) => proofs[name] !== 'proved by processes')
  test.each(here)('$name is served as the table says: $served', async (row) => {
    const proof = requireProof(row, proofs)
    const kinds: Readonly<Record<string, string>> = {
      yes: 'function',
      no: row.name === 'mfa_serial' ? 'function' : 'string',
      '—': 'string',
    }
    expect(typeof proof).toBe(kinds[row.served])
    await (typeof proof === 'function' ? proof(row.name) : expectNoChange(row.name, change(row.name)))
  })
})

function requireProof({ name }: ParityRow, proofs: Readonly<Record<string, Proof>>): Proof {
  return proofs[name] ?? expect.fail(`the row ${name} has no proof`)
}
