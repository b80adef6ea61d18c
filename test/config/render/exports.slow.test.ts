import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ExecaError, execa } from 'execa'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { registryHeader } from '../../../src/config/policy-names.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { parseSections } from '../../../src/config/read/registry.ts'
import { renderMobileconfig, toManagedPreferences } from '../../../src/config/render/convert.ts'
import { renderRegistry } from '../../../src/config/render/registry.ts'
import { renderNested } from '../../../src/config/render/shapes.ts'
import { vendor } from '../../../src/vendor.ts'
import { documents } from '../read/generated-documents.ts'
import { read } from '../read/read-text.ts'
import { registryLines } from '../read/registry-lines.ts'

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
        const expected = parseDocument(readFileSync(path('in.mobileconfig'))).document
        for (const format of ['bin', 'xml']) {
          execFileSync('plistutil', ['-i', path('in.mobileconfig'), '-o', path('out.plist'), '-f', format])
          expect(parseDocument(readFileSync(path('out.plist'))).document).toEqual(expected)
        }
      }),
      { numRuns: 30 },
    )
  })
})

describe.skipIf(!has('wine'))('wine', () => {
  const environment = { ...process.env, WINEDEBUG: '-all', WINEPREFIX: path('wine') }
  /** Wine now and then waits for itself without end: a run of it has a limit, and takes all processes of Wine with it. */
  const run = async (program: 'wine' | 'wineserver', ...args: string[]) => {
    try {
      return (await execa(program, args, { env: environment, timeout: 60_000, stripFinalNewline: false })).stdout
    } catch (error) {
      if ((error as ExecaError).timedOut) await stopWine()
      throw error
    }
  }
  const stopWine = () => execa('wineserver', ['-k'], { env: environment, reject: false, timeout: 10_000 })
  const wine = (...args: string[]) => run('wine', ...args)
  afterAll(stopWine)
  const key = `HKLM\\${vendor.windowsPolicyKey}`
  const other = 'somebodyElses'

  /** Returns the values of the policy key, by name. */
  const query = async () => {
    const lines = (await wine('reg', 'query', key)).matchAll(/^ {4}(\S+) {4}REG_SZ {4}(.*)\r$/gm)
    return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
  }
  const importFile = async (program: 'reg' | 'regedit', content: Uint8Array) => {
    writeFileSync(path('in.reg'), content)
    await wine(...(program === 'reg' ? ['reg', 'import'] : ['regedit', '/S']), path('in.reg'))
  }

  test('stores every line as our reader reads it', async () => {
    const keys = registryLines.map((_, index) => `HKEY_LOCAL_MACHINE\\SOFTWARE\\Gatepass\\Line${index}`)
    const blocks = registryLines.map(
      ([line], index) =>
        `[${keys[index]}]\n"other"="o"\n${line.replaceAll('KEY', keys[index]!)}\n[${keys[index]}]\n"last"="l"\n`,
    )
    const text = `${registryHeader}\n\n${blocks.join('\n')}`.replaceAll('\n', '\r\n')
    await importFile('reg', Buffer.from(`\ufeff${text}`, 'utf16le'))
    await wine('reg', 'export', 'HKLM\\SOFTWARE\\Gatepass', path('stored.reg'), '/y')
    const { sections } = parseSections(readFileSync(path('stored.reg'), 'utf16le').slice(1))
    const stored = keys.map((key) => new Map(sections.find((section) => section.key === key)?.values))
    expect(stored.map((values) => values.get('x') ?? values.get('X'))).toEqual(registryLines.map(([, value]) => value))
    expect(stored.map((values) => values.get('last'))).toEqual(registryLines.map(() => 'l'))
  })

  test('imports our registry files one over another, and our reader reads its export', async () => {
    await fc.assert(
      fc.asyncProperty(exported, async (entries) => {
        fc.pre(Object.keys(entries).length > 0)
        await importFile('reg', renderRegistry(entries))
        await wine('reg', 'export', key, path('out.reg'), '/y')
        expect(parseDocument(readFileSync(path('out.reg'))).document).toEqual(
          parseDocument(renderRegistry(entries)).document,
        )
      }),
      { numRuns: 2 },
    )
  })

  describe.each(['reg', 'regedit'] as const)('%s', (program) => {
    const withKey = { inferenceProvider: 'gateway', inferenceGatewayApiKey: 'sk-top-secret', beyond: 'x' }
    const withHelper = { inferenceProvider: 'gateway', inferenceCredentialHelperWindows: 'C:\\h.exe' }
    const reset = async () => {
      await wine('reg', 'delete', key, '/f').catch(() => undefined) // there may be none
      await wine('reg', 'add', key, '/v', other, '/d', 'kept')
    }

    test('leaves exactly the last document, without the key of the one before it', async () => {
      await reset()
      await importFile(program, renderRegistry(withKey))
      expect(await query()).toEqual({ ...withKey, [other]: 'kept' })
      await importFile(program, renderRegistry(withHelper, ['beyond']))
      expect(await query()).toEqual({ ...withHelper, [other]: 'kept' })
      await run('wineserver', '-w')
      expect(readFileSync(path('wine/system.reg'), 'utf8')).not.toContain('sk-top-secret')
    })

    test('undoes everything that an export has set, and nothing else', async () => {
      await reset()
      await importFile(program, renderRegistry(withKey))
      await importFile(program, renderRegistry({}, Object.keys(withKey)))
      expect(await query()).toEqual({ [other]: 'kept' })
    })
  })
})
