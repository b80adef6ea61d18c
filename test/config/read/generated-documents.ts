import fc from 'fast-check'
import type { ConfigDocument } from '../../../src/config/document.ts'
import { credentialKinds, type Field, type ValueRule } from '../../../src/config/field.ts'
import { fields } from '../../../src/config/fields.ts'
import { setIn } from '../../../src/config/set-in.ts'
import { validateHeader } from '../../../src/contract/client-headers.ts'

/** Documents with valid values in any of the table's fields. */
export const documents: fc.Arbitrary<ConfigDocument> = fc
  .oneof(
    ...[undefined, ...credentialKinds].map((kind) => fc.tuple(...applicable(kind).map((field) => pick(field, kind)))),
  )
  .map((entries) => {
    const tree: Record<string, unknown> = {}
    for (const [path, value] of entries) if (value !== undefined) setIn(tree, path.split('.'), value)
    return tree as ConfigDocument
  })

function applicable(kind: string | undefined): Field[] {
  return fields.filter(
    ({ path, rule, ...field }) =>
      path !== '$schemaVersion' &&
      rule.type !== 'object' &&
      (!path.startsWith('inference.credential') || (kind && (!field.kind || field.kind === kind))),
  )
}

function pick(field: Field, kind: string | undefined): fc.Arbitrary<[string, unknown]> {
  if (field.path === 'inference.credential.kind') return fc.constant([field.path, kind])
  if (field.path === 'expiresAt')
    return fc.option(fc.integer({ min: 1, max: 4e12 }), { nil: undefined }).map((value) => [field.path, value])
  return fc.option(valid(field.rule), { nil: undefined }).map((value) => [field.path, value])
}

function valid(rule: ValueRule): fc.Arbitrary<unknown> {
  switch (rule.type) {
    case 'text':
      if (rule.choices) return fc.constantFrom(...rule.choices)
      if (rule.format === 'uri') return fc.webUrl({ withQueryParameters: true })
      if (rule.format === 'windows-path') return fc.string().map((rest) => `C:\\${rest}`)
      return fc.string({ unit: 'grapheme', minLength: rule.minLength ?? 0 })
    case 'integer':
      return fc.integer({ min: rule.min, max: rule.max })
    case 'boolean':
      return fc.boolean()
    case 'text-list':
      return fc.array(fc.string({ maxLength: 20 }).filter((item) => new RegExp(rule.itemPattern).test(item)))
    case 'header-map':
      return fc.dictionary(
        fc.stringMatching(/^x-[a-z]{1,8}$/),
        fc.string().filter((value) => !validateHeader('x-a', value)),
        { noNullPrototype: true },
      )
    default:
      throw new Error(`no generator for ${rule.type}`)
  }
}
