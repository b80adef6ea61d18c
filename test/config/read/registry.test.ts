import { describe, expect, test } from 'vitest'
import { machinePolicyKey, registryHeader } from '../../../src/config/policy-names.ts'
import { parseDocument } from '../../../src/config/read/read-document.ts'
import { summarize, toOutcome } from './read-text.ts'
import { registryLines } from './registry-lines.ts'

const readLines = (...lines: string[]) => parseDocument(Buffer.from(lines.join('\r\n')))
const key = `[${machinePolicyKey}]`
const provider = '"inferenceProvider"="gateway"'
const idle = '"inferenceStreamIdleTimeoutSec"'

test.each(registryLines)('%j is read as reg import stores it', (line, stored) => {
  const text = line.replaceAll('KEY', machinePolicyKey).replaceAll('\n', '\r\n')
  const { unknownKeys } = readLines(registryHeader, '', key, '"other"="o"', text, key, '"last"="l"')
  const value = unknownKeys.find(({ keys: [name] }) => name?.toLowerCase() === 'x')?.value
  expect({ value, last: unknownKeys.at(-1) }).toEqual({ value: stored, last: { keys: ['last'], value: 'l' } })
})

test('names match the fields in any case', () => {
  const { document, findings } = readLines(
    registryHeader,
    key,
    '"INFERENCEPROVIDER"="gateway"',
    `"inferencestreamidletimeoutsec"="300"`,
  )
  expect({ document, findings }).toEqual({
    document: { inference: { provider: 'gateway', streamIdleTimeoutSec: 300 } },
    findings: [],
  })
})

test('names that differ in case are one field, whose last value counts', () => {
  const both = readLines(registryHeader, key, `${idle}="300"`, '"inferencestreamIDLEtimeoutsec"="400"')
  expect({ document: both.document, findings: summarize(both) }).toEqual({
    document: { inference: { streamIdleTimeoutSec: 400 } },
    findings: ['warning duplicate-key inferenceStreamIdleTimeoutSec'],
  })
})

describe('a file without its first line', () => {
  test.each([
    ['the key', [key, provider]],
    ['a comment', ['; from a mail', '', key, provider]],
    ['the key of an undo', [`[-${machinePolicyKey}]`, key, provider]],
    ['the line in another case', [registryHeader.toLowerCase(), key, provider]],
    ['the line behind a comment', ['; exported', registryHeader, key, provider]],
    ['the line with more behind it', [`${registryHeader} ; exported`, key, provider]],
  ])('begins with %s, is read, and is an error', (_what, lines) => {
    const result = readLines(...lines)
    expect(toOutcome(result)).toEqual({
      container: 'registry',
      shape: 'managed',
      document: { inference: { provider: 'gateway' } },
      unknownKeys: [],
      findings: ['error registry-header'],
    })
    expect(result.findings[0]?.message).toBe(
      `its first line is not "${registryHeader}", so \`reg import\` refuses the file`,
    )
  })

  test('may have blanks before the line', () => {
    expect(readLines(`  ${registryHeader}`, key, provider).findings).toEqual([])
  })
})

test('bytes of a file of version 4 are single letters', () => {
  const result = readLines('REGEDIT4', '', key, '"inferenceProvider"=hex(1):67,61,74,65,77,61,79,00')
  expect(result.document).toEqual({ inference: { provider: 'gateway' } })
})

test('names the lines that reg import would drop', () => {
  const path = '"inferenceCredentialHelperWindows"="C:\\Gatepass\\h.exe"'
  const result = readLines(registryHeader, '"before"="a"', key, provider, path, `${idle}="300" 400`, '"x"=hex(b):01')
  expect(result.findings.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    'registry-line: line 2 is a value without a key before it',
    'registry-escape: it has a single backslash, which `reg import` drops',
    'registry-type: clients do not read a value in this form, nor does `reg import`',
    'registry-type: clients do not read REG_QWORD',
    'kind-unset: it is not set, so clients guess',
    'invalid-value: it does not begin with a drive letter, a colon and a slash or backslash',
  ])
})
