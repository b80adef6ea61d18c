import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toCurrentSpelling } from '../../../src/config/document-values.ts'
import { externalIdpSince } from '../../../src/config/fields.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { renderMobileconfig, toManagedPreferences } from '../../../src/config/render/convert.ts'
import { renderRegistry } from '../../../src/config/render/registry.ts'
import { renderers, renderNested } from '../../../src/config/render/shapes.ts'
import { documents } from '../read/generated-documents.ts'
import { read } from '../read/read-text.ts'

const runs = { numRuns: 40 }

describe('any document is the same after it is rendered and read', () => {
  test('as nested', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const { document: again, shape, unknownKeys } = read(renderNested(document))
        expect({ document: again, shape, unknownKeys }).toEqual({ document, shape: 'nested', unknownKeys: [] })
      }),
      runs,
    )
  })

  test('as flat, after deprecations are applied to both sides', () => {
    fc.assert(
      fc.property(documents, (document) => {
        expect(read(renderers.flat(document)).document).toEqual(toCurrentSpelling(document))
        expect(read(renderers.flat(document, { clientVersion: externalIdpSince })).document).toEqual(
          toCurrentSpelling(document),
        )
      }),
      runs,
    )
  })

  test('as flat for a client that has no kind external-idp, in a spelling that it reads', () => {
    fc.assert(
      fc.property(documents, (document) => {
        const flat = renderers.flat(document, { clientVersion: '2.7031.0' })
        expect(flat).not.toContain('inferenceIdp')
        expect(read(flat).document).toEqual(toCurrentSpelling(document))
      }),
      runs,
    )
  })

  test('as managed, except for its expiry', () => {
    fc.assert(
      fc.property(documents, ({ expiresAt: _, ...document }) => {
        expect(read(renderers.managed(document), { shape: 'managed' }).document).toEqual(toCurrentSpelling(document))
      }),
      runs,
    )
  })

  test('through nested → flat → nested → managed → nested', () => {
    fc.assert(
      fc.property(documents, ({ expiresAt: _, ...document }) => {
        const flat = read(renderers.flat(read(renderNested(document)).document!)).document!
        const managed = read(renderers.managed(read(renderNested(flat)).document!), { shape: 'managed' }).document!
        expect(read(renderNested(managed)).document).toEqual(toCurrentSpelling(document))
      }),
      runs,
    )
  })
})

describe('an export is read back as the document that was exported', () => {
  const exports = {
    mobileconfig: (entries: Record<string, string>) => Buffer.from(renderMobileconfig(entries)),
    reg: (entries: Record<string, string>) => renderRegistry(entries),
  }

  test.each(Object.entries(exports))('the export %s is read back as it was', (_name, render) => {
    fc.assert(
      fc.property(documents, (document) => {
        const { entries } = toManagedPreferences(read(renderNested(document)))!
        expect(parseDocument(render(entries)).document).toEqual(
          read(JSON.stringify(entries), { shape: 'managed' }).document,
        )
      }),
      runs,
    )
  })
})
