import { describe, expect, test } from 'vitest'
import { compareReleases } from '../../src/config/define-field.ts'
import { type Field, findFlatKeys } from '../../src/config/field.ts'
import { externalIdpSince, fields } from '../../src/config/fields.ts'
import { vendor } from '../../src/vendor.ts'
import specification from './specification-fields.json' with { type: 'json' }

/** The neutral name of the cloud in the specification. */
const cloudWord = 'Cloud'

test.each(specification)('$path ($kind) is as the specification has it', (expected) => {
  const field = fields.find(
    (row) => row.path === expected.path && (row.kind ?? '') === ('kind' in expected ? expected.kind : ''),
  )
  expect(field && findFacts(field)).toEqual({ ...withInheritedSince(expected), ...spelledFlat(expected) })
})

test('no field is outside the specification, except those that were observed in clients', () => {
  const listed = new Set(specification.map((row) => `${row.path} ${'kind' in row ? row.kind : ''}`))
  const beyond = fields.filter((row) => !listed.has(`${row.path} ${row.kind ?? ''}`) && row.kind !== 'external-idp')
  expect(beyond.map(({ path, kind, observed }) => ({ path, kind, observed }))).toEqual([
    { path: 'inference.credential.authScheme', kind: 'helper-script', observed: true },
  ])
})

describe('fields of oidc under external-idp', () => {
  const inside = (kind: string) =>
    fields.filter((row) => row.kind === kind && row.path.startsWith('inference.credential.oidc.'))

  test('are those of interactive, read from the later of their release and that of external-idp', () => {
    const withoutFlat = ({ flat: _flat, ...row }: Field) => row
    expect(inside('external-idp').map(withoutFlat)).toEqual(
      inside('interactive').map((row) => ({
        ...withoutFlat(row),
        kind: 'external-idp',
        since: [row.since!, externalIdpSince].toSorted(compareReleases)[1],
      })),
    )
  })
})

test('each row has a summary that is a sentence', () => {
  expect(fields.filter(({ summary }) => !/^[A-Z].*\.$/.test(summary))).toEqual([])
})

/** Finds a row in the terms of the specification's tables. */
function findFacts(field: Field): Record<string, unknown> {
  const { rule } = field
  return {
    path: field.path,
    ...(field.kind && { kind: field.kind }),
    type: typeNames[rule.type],
    ...(findFlatKeys(field)?.length === 1 && { flat: field.flat }),
    ...(field.since && { since: field.since }),
    consent: field.consent ?? false,
    ...(field.pin && { pin: field.pin }),
    ...(field.default !== undefined && { default: String(field.default) }),
    ...(rule.type === 'text' && rule.minLength !== undefined && { minLength: rule.minLength }),
    ...(rule.type === 'text' && rule.choices?.length === 1 && { constant: rule.choices[0] }),
    ...(rule.type === 'text' && rule.choices && rule.choices.length > 1 && { choices: rule.choices }),
    ...(rule.type === 'text' && rule.format === 'uri' && { uri: true }),
    ...(rule.type === 'number' && rule.constant !== undefined && { constant: String(rule.constant) }),
    ...(rule.type === 'number' && rule.above !== undefined && { above: rule.above }),
    ...(rule.type === 'text-list' && { itemMaxLength: rule.itemMaxLength }),
    ...(rule.type === 'integer' && { ...(rule.min === 1 ? { above: 0 } : { min: rule.min }), max: rule.max }),
  }
}

const typeNames = {
  text: 'string',
  integer: 'integer',
  number: 'number',
  boolean: 'boolean',
  'text-list': 'array of string',
  'header-map': 'object',
  object: 'object',
}

/** A field without a release has the release of the object that holds it. */
function withInheritedSince(row: (typeof specification)[number]) {
  const [parent] = row.path.split(/\.\w+$/)
  const outer = specification.find(
    (other) => other.path === parent && 'kind' in other && 'kind' in row && other.kind === row.kind,
  )
  return { ...(outer && 'since' in outer && { since: outer.since }), ...row }
}

function spelledFlat(row: (typeof specification)[number]) {
  return 'flat' in row && row.flat ? { flat: row.flat.replace(cloudWord, vendor.cloudWord) } : {}
}
