import { buildBinary } from 'plist'
import { describe, expect, test } from 'vitest'
import { parseDocument, type ReadResult } from '../../../src/config/read/read-document.ts'
import { vendor } from '../../../src/vendor.ts'
import { summarize, toOutcome } from './read-text.ts'

const readText = (text: string, encoding: BufferEncoding = 'utf8') => parseDocument(Buffer.from(text, encoding))
const bigEndian = (text: string) => Buffer.from(text, 'utf16le').swap16()
const applied = {
  inference: { provider: 'gateway', credential: { kind: 'helper-script', command: '/x', ttlSec: 600 } },
}

describe('JSON', () => {
  test.each([
    ['nothing', '', 'empty-file', 'it is empty'],
    ['an array', '[]', 'not-an-object', 'expected a JSON object, found an array'],
    ['a web page', '\n<!DOCTYPE html><html>', 'html-page', 'it is a web page, not a document'],
    ['a missing comma', '{\n  "a": 1\n  "b": 2 }', 'not-json', 'it is not JSON: line 3, column 3'],
    ['a comment', '{ // x\n}', 'not-json', 'it is not JSON: line 1, column 3'],
    ['an early end', '{ "a": ', 'not-json', 'it is not JSON: line 1, column 8'],
    ['deep nesting', '['.repeat(100_000), 'too-deep', 'it is nested deeper than 64 levels'],
    ['deep nesting between stray brackets', '[}'.repeat(100_000), 'too-deep', 'it is nested deeper than 64 levels'],
  ])('%s is unreadable', (_what, text, code, message) => {
    const { document, findings } = readText(text)
    expect({ document, findings: findings.map((finding) => [finding.code, finding.message]) }).toEqual({
      document: undefined,
      findings: [[code, message]],
    })
  })

  test.each<[what: string, result: ReadResult, found: string]>([
    ['invalid UTF-8', parseDocument(Buffer.from([0x7b, 0xff, 0x7d])), 'error not-utf8'],
    ['UTF-16 with its mark', readText('\ufeff{}', 'utf16le'), 'error utf16'],
    ['UTF-16', readText('{}', 'utf16le'), 'error utf16'],
    ['UTF-16 in the other order, with its mark', parseDocument(bigEndian('\ufeff{}')), 'error utf16'],
    ['UTF-16 in the other order', parseDocument(bigEndian('{}')), 'error utf16'],
  ])('%s is unreadable', (_what, result, found) => {
    expect(summarize(result)).toEqual([found])
  })

  test('a file of 5 MiB is read, and one of a byte more is refused', () => {
    const fileOf = (bytes: number) => summarize(parseDocument(Buffer.alloc(bytes, ' ')))
    expect([fileOf(5 * 1024 * 1024), fileOf(5 * 1024 * 1024 + 1)]).toEqual([['error empty-file'], ['error too-large']])
  })

  test('a byte-order mark and duplicate keys are warnings', () => {
    const result = readText('\ufeff{"inference":{"sessionLifetimeSec":1,"sessionLifetimeSec":2}}')
    expect({ document: result.document, findings: summarize(result) }).toEqual({
      document: { inference: { sessionLifetimeSec: 2 } },
      findings: ['warning byte-order-mark', 'warning duplicate-key inference.sessionLifetimeSec'],
    })
  })

  test('__proto__ changes no prototype', () => {
    const result = readText(
      '{"inference":{"__proto__":{"provider":"gateway"},"customHeaders":{"__proto__":"x"}},"__proto__":{"expiresAt":1}}',
    )
    expect({ document: result.document, findings: summarize(result) }).toEqual({
      document: { inference: { customHeaders: {} } },
      findings: [
        'warning reserved-key inference.__proto__',
        'warning reserved-key inference.customHeaders.__proto__',
        'warning reserved-key __proto__',
      ],
    })
  })
})

const whole = { shape: 'managed', document: applied, unknownKeys: [], findings: [] }

const plist = (content: string) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n<plist version="1.0">${content}</plist>\n`
const preferences = `
  <key>inferenceProvider</key><string>gateway</string>
  <key>inferenceCredentialKind</key><string>helper-script</string>
  <key>inferenceCredentialHelper</key><string>/x</string>
  <key>inferenceCredentialHelperTtlSec</key><string>600</string>`
const profile = (type: string) =>
  plist(
    `<dict><key>PayloadContent</key><array><dict><key>PayloadType</key><string>${type}</string>${preferences}</dict></array></dict>`,
  )

describe('property lists', () => {
  test('may hold U+FFFD, which is a character like others', () => {
    const text =
      '<plist version="1.0"><dict><key>inferenceCredentialHelper</key><string>/a\ufffdb</string></dict></plist>'
    expect(readText(text).document).toEqual({
      inference: { credential: { kind: 'helper-script', command: '/a\ufffdb' } },
    })
  })

  test.each([
    ['UTF-8', Buffer.from(plist(`<dict>${preferences}</dict>`))],
    ['UTF-16', Buffer.from(`\ufeff${plist(`<dict>${preferences}</dict>`)}`, 'utf16le')],
    ['a profile', Buffer.from(profile(vendor.macosPayloadType))],
    [
      'binary',
      buildBinary({
        inferenceProvider: 'gateway',
        inferenceCredentialKind: 'helper-script',
        inferenceCredentialHelper: '/x',
        inferenceCredentialHelperTtlSec: '600',
      }),
    ],
  ])('are read in %s', (_what, bytes) => {
    expect(toOutcome(parseDocument(bytes))).toEqual({
      container: 'property-list',
      ...whole,
    })
  })

  test('a payload of another type is read, and the hint names the type to use', () => {
    const { document, findings } = readText(profile('com.example.other'))
    expect({ document, findings }).toEqual({
      document: applied,
      findings: [
        {
          code: 'other-payload-type',
          hint: `set this payload's PayloadType to ${vendor.macosPayloadType}`,
          path: 'PayloadType',
          severity: 'error',
          message: 'the client reads payloads of the type com.vendor.desktop only',
          line: 3,
          column: 66,
        },
      ],
    })
  })

  test('a profile without a payload is an error', () => {
    expect(summarize(readText(plist('<dict><key>PayloadContent</key><array/></dict>')))).toEqual([
      'error payload-missing PayloadContent',
    ])
  })

  test('native values are read with a warning', () => {
    const result = readText(
      plist(
        '<dict><key>inferenceCustomHeaders</key><dict><key>x-a</key><string>1</string></dict><key>inferenceStreamIdleTimeoutSec</key><integer>300</integer></dict>',
      ),
    )
    expect({ document: result.document, findings: summarize(result) }).toEqual({
      document: { inference: { customHeaders: { 'x-a': '1' }, streamIdleTimeoutSec: 300 } },
      findings: ['warning native-value inferenceCustomHeaders', 'warning native-value inferenceStreamIdleTimeoutSec'],
    })
  })

  test.each([
    ['an unknown entity is an error', '<dict><key>a</key><string>&x;</string></dict>', ['error broken-property-list']],
    ['a truncated one', '<dict><key>a</key><string>x', ['error broken-property-list']],
    ['keys without values', '<dict><key>a</key></dict>', ['error broken-property-list']],
    [
      'duplicate keys',
      '<dict><key>x</key><true/><key>x</key><string/></dict>',
      ['warning duplicate-key x', 'info outside-specification x'],
    ],
    ['__proto__', '<dict><key>__proto__</key><true/></dict>', ['warning reserved-key __proto__']],
    ['deep nesting', '<array>'.repeat(5000) + '</array>'.repeat(5000), ['error too-deep']],
  ])('are read with a finding: %s', (_what, content, expected) => {
    expect(summarize(readText(plist(content)))).toEqual(expected)
  })

  test('the five entities and character references are text', () => {
    const headers = '{&quot;x-a&quot;:&quot;&lt;&amp;&gt;&apos;&#65;&quot;}'
    const result = readText(plist(`<dict><key>inferenceCustomHeaders</key><string>${headers}</string></dict>`))
    expect(result.document).toEqual({ inference: { customHeaders: { 'x-a': "<&>'A" } } })
  })

  test('entities that the file declares are never expanded', () => {
    const text = plist('<dict><key>a</key><string>&x;</string></dict>').replace(
      '<plist',
      '<!DOCTYPE plist [<!ENTITY x "y">]><plist',
    )
    expect(summarize(readText(text))).toEqual(['error entity-declared'])
  })

  test('a signed profile is unreadable, with the command that removes the signature', () => {
    const result = parseDocument(Buffer.from([0x30, 0x82, 0x0b, 0x1c, 0x06, 0x09]))
    expect(result.findings).toEqual([
      {
        code: 'signed-profile',
        hint: 'remove the signature: `security cms -D -i signed.mobileconfig -o plain.mobileconfig` (macOS), or `openssl smime -verify -noverify -inform DER -in signed.mobileconfig -out plain.mobileconfig`',
        path: '',
        severity: 'error',
        message: 'it is a signed profile',
      },
    ])
  })

  test('a binary list that expands to billions of values is refused at once', () => {
    expect(summarize(parseDocument(doublingArrays(40)))).toEqual(['error too-deep'])
    expect(summarize(parseDocument(doublingArrays(40).subarray(0, 60)))).toEqual(['error broken-property-list'])
  })
})

/** Arrays that refer to the next one twice: 2^levels values. */
function doublingArrays(levels: number): Buffer {
  const objects = Array.from({ length: levels }, (_, level) => [0xa2, level + 1, level + 1])
  const body = Buffer.from([...Buffer.from('bplist00'), ...objects.flat(), 0x09])
  const table = Buffer.from(Array.from({ length: levels + 1 }, (_, index) => 8 + index * 3))
  const trailer = Buffer.alloc(32)
  trailer[6] = 1
  trailer[7] = 1
  trailer[15] = levels + 1
  trailer[31] = body.length
  return Buffer.concat([body, table, trailer])
}

const key = `HKEY_LOCAL_MACHINE\\${vendor.windowsPolicyKey}`
const values =
  '"inferenceProvider"="gateway"\r\n"inferenceCredentialKind"="helper-script"\r\n"inferenceCredentialHelper"="/x"\r\n'
const registry = (content: string) => `Windows Registry Editor Version 5.00\r\n\r\n${content}`

describe('registry files', () => {
  const text = registry(`[${key}]\r\n${values}; a comment\r\n"inferenceCredentialHelperTtlSec"=dword:00000258\r\n`)

  test.each([
    ['UTF-16LE', Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16LE without a mark', Buffer.from(text, 'utf16le')],
    ['UTF-16BE', bigEndian(`\ufeff${text}`)],
    ['UTF-16BE without a mark', bigEndian(text)],
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${text}`)],
    ['REGEDIT4', Buffer.from(text.replace('Windows Registry Editor Version 5.00', 'REGEDIT4'))],
  ])('are read in %s', (_what, bytes) => {
    expect(toOutcome(parseDocument(bytes))).toEqual({
      container: 'registry',
      ...whole,
    })
  })

  test('names unreadable types, sub-keys and broken lines', () => {
    const result = readText(
      registry(
        `[${key}]\r\n${values}"inferenceGatewayBaseUrl"=hex(2):25,00,\\\r\n  00,00\r\nnonsense\r\n[${key}\\Sub]\r\n"inferenceStreamIdleTimeoutSec"="300"\r\n`,
      ),
    )
    expect(result.findings.map(({ code, path, message }) => `${code} ${path}: ${message}`)).toEqual([
      'registry-type inferenceGatewayBaseUrl: clients do not read REG_EXPAND_SZ',
      'registry-line : line 9 is neither a key nor a value',
      `registry-subkey ${key}\\Sub: clients never read sub-keys`,
    ])
  })

  const user = `[HKEY_CURRENT_USER\\${vendor.windowsPolicyKey}]\r\n"inferenceStreamIdleTimeoutSec"="300"\r\n`

  test('the user hive alone is read', () => {
    expect(readText(registry(user)).document).toEqual({ inference: { streamIdleTimeoutSec: 300 } })
  })

  test('the machine hive makes the user hive ignored', () => {
    const machine = readText(registry(`[${key}]\r\n${values}`))
    const both = readText(registry(`[${key}]\r\n${values}${user}`))
    expect({ document: both.document, findings: summarize(both) }).toEqual({
      document: machine.document,
      findings: ['warning user-hive-ignored inferenceStreamIdleTimeoutSec'],
    })
  })

  test('another key is read, and the hint names the key to use', () => {
    expect(summarize(readText(registry(`[HKEY_LOCAL_MACHINE\\SOFTWARE\\Other]\r\n${values}`)))).toEqual([
      'error other-policy-key HKEY_LOCAL_MACHINE\\SOFTWARE\\Other',
    ])
    expect(summarize(readText(registry('')))).toEqual(['error policy-key-missing'])
  })

  test('escaped backslashes and quotes in values are unescaped', () => {
    const result = readText(
      registry(
        `[${key}]\r\n"inferenceCredentialKind"="helper-script"\r\n"inferenceCredentialHelperWindows"="C:\\\\Program Files\\\\a \\"b\\".exe"\r\n`,
      ),
    )
    expect(result.document?.inference?.credential).toEqual({
      kind: 'helper-script',
      commandWindows: 'C:\\Program Files\\a "b".exe',
    })
  })

  test('a value of many lines is read in linear time', { timeout: 30_000 }, () => {
    const result = readText(registry(`[${key}]\r\n${values}"x"=hex:${'00,\\\r\n'.repeat(700_000)}00\r\n`))
    expect(result.document?.inference?.provider).toBe('gateway')
  })

  test('half a character at the end is unreadable', () => {
    expect(summarize(parseDocument(Buffer.from(`\ufeff${text}`, 'utf16le').subarray(0, -1)))).toEqual([
      'error broken-registry-file',
    ])
  })
})
