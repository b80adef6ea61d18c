import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../../../pkg-scripts/tree.ts'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { createPolicySchema } from '../../../src/verify/policy/policy-shape.ts'

const page = readFileSync(join(root, 'docs/gateways/policy.md'), 'utf8')
const limitsPage = readFileSync(join(root, 'docs/gateways/limits.md'), 'utf8')
const introspectionPage = readFileSync(join(root, 'docs/gateways/introspection.md'), 'utf8')
const clusterKeys = Buffer.from('{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "kid": "1"}]}')

describe('docs/gateways/policy.md', () => {
  const examples = [...(page + limitsPage + introspectionPage).matchAll(/```json policy\n(?<text>.*?)```/gs)].map(
    ({ groups }) => groups!.text!,
  )

  test.each(examples)('has a valid example: %s', (text) => {
    const { policy, findings } = parsePolicy(Buffer.from(text), new Map([['cluster-keys.json', clusterKeys]]))
    expect({ works: policy !== undefined, findings }).toEqual({ works: true, findings: [] })
  })

  test('has nine examples', () => {
    expect(new Set(examples).size).toBe(9)
  })

  const rows = [...page.matchAll(/^\| `(?<key>[$\w.[\]]+)`(?: \*)? \| (?<rest>.*) \|$/gm)]
  const listed = new Map(rows.map(({ groups }) => [groups!.key!.replace(/\[\]$/, ''), groups!.rest!]))
  const known = listKeys(createPolicySchema() as Schema)

  test('lists every key except those that are explained with their members', () => {
    const missing = known.filter(({ key }) => !listed.has(key)).map(({ key }) => key)
    const sameKeys = ['requests', 'everySec', 'burst']
    expect(missing).toEqual([
      ...['issuers[].keys', 'issuers[].keys.inline.keys', 'rules[].aws', 'rules[].request'],
      ...sameKeys.map((key) => `rules[].limit.${key}`),
      ...['limits', ...sameKeys.map((key) => `limits.addresses.${key}`)],
    ])
  })

  test('says the default and the bounds of each key', () => {
    const unsaid = known.flatMap(({ key, numbers }) =>
      numbers.filter((each) => listed.get(key)?.includes(each) === false).map((each) => `${key}: ${each}`),
    )
    expect(unsaid).toEqual([])
  })

  test('says how long the headers may be', () => {
    expect(page.match(/at most \d+ bytes/g)).toEqual(['at most 3072 bytes'])
  })
})

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
}

/** Lists every key of the schema, and what its row has to say. */
function listKeys(schema: Schema, path = ''): { key: string; numbers: string[] }[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const key = path === '' ? name : `${path}.${name}`
    const { minimum, maximum } = inner
    const isPlain = typeof inner.default === 'number' || typeof inner.default === 'string'
    const numbers = [minimum, maximum, isPlain ? inner.default : undefined, ...(inner.items?.enum ?? [])]
    return [
      { key, numbers: numbers.filter((each) => each !== undefined).map(String) },
      ...listKeys(inner, key),
      ...(inner.items ? listKeys(inner.items, `${key}[]`) : []),
    ]
  })
}
