import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { flatKeys } from '../../../../src/config/fields.ts'
import { parseDocument } from '../../../../src/config/read/read-document.ts'
import { toManagedPreferences } from '../../../../src/config/render/convert.ts'
import { renderJamfManifest, renderPreferences } from '../../../../src/config/render/management/jamf-manifest.ts'
import { vendor } from '../../../../src/vendor.ts'
import { createDocument } from './documents.ts'

const result = createDocument('/opt/gatepass/aws-bedrock-token')
const { document } = result
const { entries } = toManagedPreferences(result)!

interface Manifest {
  readonly title: string
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, { default?: string; property_order: number; type: string }>>
}

const parseManifest = (values: Readonly<Record<string, string>>) => JSON.parse(renderJamfManifest(values)) as Manifest

/** Submits a form that nobody has changed: the result has the values with which its fields were filled in. */
function submitForm({ properties }: Manifest): Record<string, string> {
  const filled = Object.entries(properties).filter(([, property]) => property.default !== undefined)
  return Object.fromEntries(filled.map(([name, property]) => [name, property.default!]))
}

test('a plain property list is read back as the document', () => {
  expect(parseDocument(Buffer.from(renderPreferences(entries))).document).toEqual(document)
})

describe('a manifest for Jamf Pro', () => {
  // The words that its form adds to JSON Schema.
  const ajv = new Ajv({ keywords: ['property_order'] })

  test('gives a form that, sent off unchanged, sets what the document sets', () => {
    const form = submitForm(parseManifest(entries))
    expect({ form, document: parseDocument(Buffer.from(renderPreferences(form))).document }).toEqual({
      form: entries,
      document,
    })
  })

  test('has a field for every key, once and in order, and names the preference domain', () => {
    const { title, properties } = parseManifest({ ...entries, ourOwn: 'x' })
    const fields = Object.entries(properties).map(([key, { property_order, type }]) => [key, property_order, type])
    expect({ title, fields }).toEqual({
      title: `${vendor.name} desktop (${vendor.macosPayloadType})`,
      fields: [...flatKeys, 'ourOwn'].map((key, index) => [key, index + 1, 'string']),
    })
  })

  test('is a JSON Schema that accepts the values, and rejects what no client reads', () => {
    const validate = ajv.compile(parseManifest(entries))
    const { inferenceProvider: _, ...withoutProvider } = entries
    const wrong = [
      withoutProvider,
      { ...entries, inferenceCredentialKind: 'helper' },
      { ...entries, inferenceGatewayBaseUrl: 'gateway.example.com' },
      { ...entries, inferenceCredentialHelperTimeoutSec: '5 min' },
      { ...entries, inferenceCredentialHelperTimeoutSec: 300 },
      { ...entries, inferenceCredentialHelperWindows: 'Gatepass\\h.exe' },
      { ...entries, inferenceCredentialHelperSilentRefreshEnabled: 'yes' },
    ]
    expect([entries, ...wrong].map((values) => validate(values))).toEqual([true, ...wrong.map(() => false)])
  })
})
