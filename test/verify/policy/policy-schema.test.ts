import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { parsePolicy } from '../../../src/verify/policy/parse-policy.ts'
import { createPolicySchema } from '../../../src/verify/policy/policy-shape.ts'
import { issuer, policyFile } from './policy-text.ts'

const ajv = new Ajv2020({ strict: true, strictRequired: false, validateFormats: false, unicodeRegExp: true })
const validate = ajv.compile(createPolicySchema())

const aws = { audience: 'gateway.example' }
const trust = { issuer, audiences: ['a'] }
const awsRule = { name: 'a', aws: { accounts: ['111122223333'] } }

describe('the schema and the reader agree on', () => {
  test.each<[string, Record<string, unknown>]>([
    ['a good file', policyFile({ $schema: './policy.schema.json', clockSkewSec: 0 })],
    ['a file with AWS', policyFile({ aws: { ...aws, partitions: ['aws', 'aws-cn'] }, rules: [awsRule] })],
    ['keys at an address', policyFile({ issuers: [{ ...trust, keys: { url: 'https://x.example/k' } }] })],
    ['an unknown key', policyFile({ isuers: [] })],
    ['an unknown key of an issuer', policyFile({ issuers: [{ ...trust, audience: 'a' }] })],
    ['no rules', { issuers: [] }],
    ['no audiences', policyFile({ issuers: [{ ...trust, audiences: [] }] })],
    ['a text for a list', policyFile({ issuers: [{ ...trust, audiences: 'a' }] })],
    ['another algorithm', policyFile({ issuers: [{ ...trust, algorithms: ['HS256'] }] })],
    ['another partition', policyFile({ aws: { ...aws, partitions: ['aws-moon'] } })],
    ['a clock far away', policyFile({ clockSkewSec: 301 })],
    ['a proof that is too old', policyFile({ aws: { ...aws, longestAgeSec: 901 } })],
    ['an account of eleven digits', policyFile({ aws, rules: [{ ...awsRule, aws: { accounts: ['11112222333'] } }] })],
    ['no name', policyFile({ rules: [{ issuer, everyone: true }] })],
    ['another use', policyFile({ rules: [{ name: 'a', issuer, everyone: true, use: 'twice' }] })],
    ['everyone: false', policyFile({ rules: [{ name: 'a', issuer, everyone: false }] })],
  ])('%s', (_, file) => {
    const { findings } = parsePolicy(Buffer.from(JSON.stringify(file)))
    const structural = findings.filter(({ code }) => structuralCodes.has(code))
    expect({ valid: validate(file), structural }).toEqual({ valid: structural.length === 0, structural })
  })
})

/** The codes that a JSON schema can express as well. The other codes are about the meaning of values. */
const structuralCodes = new Set<string>([
  'unknown-key',
  'required-missing',
  'wrong-type',
  'out-of-range',
  'invalid-value',
  'symmetric-algorithm',
])

test('everything that an administrator writes has a word of explanation', () => {
  const bare: string[] = []
  const visit = (path: string, schema: Schema) => {
    if (path !== '' && !schema.description) bare.push(path)
    for (const [name, inner] of Object.entries(schema.properties ?? {})) visit(`${path}.${name}`, inner)
    for (const [name, inner] of Object.entries(schema.items?.properties ?? {})) visit(`${path}[].${name}`, inner)
  }
  visit('', createPolicySchema() as Schema)
  expect(bare).toEqual(['.issuers[].keys.inline.keys'])
})

interface Schema {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
}
