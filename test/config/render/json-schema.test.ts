import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import { createJsonSchema } from '../../../src/config/render/json-schema.ts'
import { renderNested } from '../../../src/config/render/shapes.ts'
import { documents } from '../read/generated-documents.ts'
import { read } from '../read/read-text.ts'

const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  strictRequired: false,
  validateFormats: false,
  unicodeRegExp: true,
})
const validate = ajv.compile(createJsonSchema())

/** Codes of findings that a schema can report too; the others are advice, or are about machines, files and servers. */
const structural = new Set([
  'required-missing',
  'scopes-missing',
  'kind-unset',
  'kind-unset-two-sources',
  'wrong-type',
  'out-of-range',
  'invalid-value',
])

test('the schema accepts a generated document exactly where the check finds no structural fault', () => {
  fc.assert(
    fc.property(documents, (document) => {
      const text = renderNested(document)
      const codes = checkDocument(read(text)).filter(({ code }) => structural.has(code))
      expect({ valid: validate(JSON.parse(text)), codes }).toEqual({ valid: codes.length === 0, codes })
    }),
    { numRuns: 100 },
  )
})

describe('the schema accepts or refuses', () => {
  const helper = { kind: 'helper-script', command: '/h' }
  const gateway = { provider: 'gateway', baseUrl: 'https://gateway.example' }

  test.each([
    ['a good document', { $schemaVersion: 2, inference: { ...gateway, credential: helper }, telemetry: {} }, true],
    ['a pointer to itself', { $schema: './schema.json', inference: { ...gateway, credential: helper } }, true],
    ['a pointer that is not text', { $schema: 2 }, false],
    ['another version', { $schemaVersion: 3 }, false],
    ['a misspelled name', { inference: { ...gateway, credential: { ...helper, ttlsec: 5 } } }, false],
    ['a field of another kind', { inference: { ...gateway, credential: { ...helper, apiKey: 'k' } } }, false],
    ['no kind', { inference: { ...gateway, credential: { command: '/h' } } }, false],
    ['text for a number', { inference: { ...gateway, credential: { ...helper, ttlSec: '5' } } }, false],
    ['a flat key', { inferenceProvider: 'gateway' }, false],
    ['no address', { inference: { provider: 'gateway' } }, false],
    ['a percent sign in an argument', { inference: { credential: { ...helper, args: ['%x'] } } }, false],
  ])('%s', (_what, content, expected) => {
    expect(validate(content)).toBe(expected)
  })
})
