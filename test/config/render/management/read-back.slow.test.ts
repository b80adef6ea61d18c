import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDocument } from '../../../../src/config/read/read-document.ts'
import { toManagedPreferences } from '../../../../src/config/render/convert.ts'
import { renderOmaUri } from '../../../../src/config/render/management/group-policy.ts'
import { validateEntries } from '../../../../src/config/render/management/validate-entries.ts'
import { renderRegistry } from '../../../../src/config/render/registry.ts'
import { renderNested } from '../../../../src/config/render/shapes.ts'
import { documents } from '../../read/generated-documents.ts'
import { read } from '../../read/read-text.ts'
import { applyOmaUri } from './apply-oma-uri.ts'
import { renderRegistryExport } from './apply-template.ts'

test('policies that are set from any document are read back as that document', () => {
  fc.assert(
    fc.property(documents, documents, (document, earlier) => {
      const [entries, before] = [toFitting(document), toFitting(earlier)]
      const values = applyOmaUri(renderOmaUri(entries), before)
      expect(values).toEqual(entries)
      expect(parseDocument(renderRegistryExport(values)).document).toEqual(
        parseDocument(renderRegistry(entries)).document,
      )
    }),
    { numRuns: 40 },
  )
})

/** Returns the preferences without those that a policy has no room for, such as numbers beyond 32 bits. */
function toFitting(document: Parameters<typeof renderNested>[0]): Record<string, string> {
  const { entries } = toManagedPreferences(read(renderNested(document)))!
  const isFitting = ([key, value]: [string, string]) => validateEntries({ [key]: value }).length === 0
  return Object.fromEntries(Object.entries(entries).filter(isFitting))
}
