import fc from 'fast-check'
import { buildBinary } from 'plist'
import { expect } from 'vitest'
import { checkDocument } from '../../../src/config/check/check-document.ts'
import { fields } from '../../../src/config/fields.ts'
import { parseDocument, shapes } from '../../../src/config/read/read-document.ts'
import { convertDocument, renderMobileconfig, toManagedPreferences } from '../../../src/config/render/convert.ts'
import { renderRegistry } from '../../../src/config/render/registry.ts'
import { renderers, renderNested, toManagedEntries } from '../../../src/config/render/shapes.ts'
import { documents } from './generated-documents.ts'

/** Keys of the document and of containers, beside any others. */
const keys = fc.oneof(
  fc.constantFrom(
    ...fields.flatMap(({ path, flat }) => [path.split('.').at(-1)!, flat?.split('.')[0] ?? path]),
    '__proto__',
    'constructor',
    'PayloadContent',
  ),
  fc.string(),
)

const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.string(),
    fc.double(),
    fc.integer(),
    fc.boolean(),
    fc.constantFrom(
      null,
      'gateway',
      'sso',
      'static',
      'interactive',
      'external-idp',
      'helper-script',
      '{"a":[1]}',
      'https://x.example',
    ),
    fc.array(tie('value'), { maxLength: 4 }),
    tie('object'),
  ),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 8, noNullPrototype: true }),
}))

const wellFormed: fc.Arbitrary<Uint8Array> = fc.oneof(
  documents.map((document) => Buffer.from(renderNested(document))),
  documents.map((document) => Buffer.from(renderers.flat(document))),
  documents.map((document) => Buffer.from(renderers.managed(document))),
  documents.map((document) => renderRegistry(toManagedEntries(document, {}))),
  documents.map((document) => Buffer.from(renderMobileconfig(printable(toManagedEntries(document, {}))))),
  documents.map((document) => buildBinary(toManagedEntries(document, {}))),
  values.object.map((object) => Buffer.from(JSON.stringify(object))),
)

/** Well-formed files, the same files with bytes changed, cut or inserted, and random bytes. */
export const files: fc.Arbitrary<Uint8Array> = fc.oneof(
  wellFormed,
  fc
    .tuple(wellFormed, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }))
    .map(([bytes, changes]) => change(bytes, changes)),
  fc.tuple(wellFormed, fc.nat()).map(([bytes, end]) => bytes.subarray(0, end % (bytes.length + 1))),
  fc.tuple(wellFormed, fc.nat(), fc.uint8Array({ maxLength: 8 })).map(([bytes, at, more]) => {
    const offset = at % (bytes.length + 1)
    return Buffer.concat([bytes.subarray(0, offset), more, bytes.subarray(offset)])
  }),
  fc.uint8Array(),
  fc.string().map((text) => Buffer.from(text)),
)

/** Reads the bytes, and gives the result to everything that takes one; nothing may throw. */
export function runEverything(bytes: Uint8Array): void {
  for (const shape of [undefined, ...shapes]) {
    const served = { url: 'https://config.example/', authentication: 'none' } as const
    const result = parseDocument(bytes, { ...(shape && { shape }), ...(shape === 'flat' && { served }) })
    expect(result.document !== undefined || result.findings.some(({ severity }) => severity === 'error')).toBe(true)
    checkDocument(result, { os: 'windows', clientVersion: '1.2.3' })
    for (const to of shapes) convertDocument(result, to)
    const exported = toManagedPreferences(result)
    if (exported) renderMobileconfig(exported.entries)
  }
}

function change(bytes: Uint8Array, changes: readonly [number, number][]): Uint8Array {
  const copy = Buffer.from(bytes)
  for (const [at, byte] of changes) if (copy.length > 0) copy[at % copy.length] = byte
  return copy
}

function printable(entries: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(entries).filter(([, text]) => text.isWellFormed() && !/[\0-\x1f\ufffe\uffff]/.test(text)),
  )
}
