import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { readDocument } from '../../../src/config/read/document.ts'
import { toManagedPreferences } from '../../../src/config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../../src/config/render/mobileconfig.ts'
import { renderRegistry } from '../../../src/config/render/registry.ts'
import { renderNested } from '../../../src/config/render/shapes.ts'
import { vendor } from '../../../src/vendor.ts'
import { documents } from '../read/generated-documents.ts'
import { read } from '../read/read-text.ts'

const directory = mkdtempSync(join(tmpdir(), 'gatepass-exports-'))
afterAll(() => rmSync(directory, { recursive: true }))
const path = (name: string) => join(directory, name)
const has = (tool: string) => spawnSync(tool, ['--version']).error === undefined
const exported = documents.map((document) => toManagedPreferences(read(renderNested(document)))!.entries)

describe.skipIf(!has('plistutil'))('plistutil', () => {
  test('reads our profiles, and our reader reads what it converts them to', () => {
    fc.assert(
      fc.property(exported, (entries) => {
        writeFileSync(path('in.mobileconfig'), renderMobileconfig(entries))
        const expected = readDocument(readFileSync(path('in.mobileconfig'))).document
        for (const format of ['bin', 'xml']) {
          execFileSync('plistutil', ['-i', path('in.mobileconfig'), '-o', path('out.plist'), '-f', format])
          expect(readDocument(readFileSync(path('out.plist'))).document).toEqual(expected)
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe.skipIf(!has('wine'))('wine', () => {
  const environment = { ...process.env, WINEDEBUG: '-all', WINEPREFIX: path('wine') }
  const reg = (...args: string[]) => execFileSync('wine', ['reg', ...args], { env: environment, encoding: 'utf8' })

  test('imports our registry files, and our reader reads its export', () => {
    fc.assert(
      fc.property(exported, (entries) => {
        fc.pre(Object.keys(entries).length > 0)
        const key = `HKLM\\${vendor.windowsPolicyKey}`
        spawnSync('wine', ['reg', 'delete', key, '/f'], { env: environment })
        writeFileSync(path('in.reg'), renderRegistry(entries))
        reg('import', path('in.reg'))
        expect(reg('query', key)).toContain('REG_SZ')
        reg('export', key, path('out.reg'), '/y')
        expect(readDocument(readFileSync(path('out.reg'))).document).toEqual(
          readDocument(renderRegistry(entries)).document,
        )
      }),
      { numRuns: 5 },
    )
  })
})
