import { mkdir } from 'node:fs/promises'
import { buildBinary } from 'plist'
import { describe, expect, test } from 'vitest'
import { fails, prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { documentWith, pipeToGatepass, runGatepass, runOnPath, writeTemporary } from './run-gatepass.ts'

const profile = '<?xml version="1.0"?><plist version="1.0"><dict><key>inferenceProvider</key><string>gateway'
const registry = 'Windows Registry Editor Version 5.00\r\n\r\n[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Vendor]\r\n'

describe('a document that cannot be read ends with status 2', () => {
  test.each<[what: string, content: string | Uint8Array, code: string, message: string, hint: string, at?: object]>([
    ['an empty file', '', 'empty-file', 'it is empty', 'write a JSON object'],
    [
      'JSON with a syntax error',
      '{\n  "a": 1,\n}',
      'not-json',
      'it is not JSON: line 3, column 1',
      'fix the syntax there: a missing comma or quote, a typographic quote, a comment, a comma before a closing bracket',
      { line: 3, column: 1 },
    ],
    ['an array', '[{}]', 'not-an-object', 'expected a JSON object, found an array', 'put the fields between { and }'],
    [
      'a web page',
      '<!doctype html><html>',
      'html-page',
      'it is a web page, not a document',
      'fetch the document itself: such a page comes from a sign-in or from a proxy on the way',
    ],
    [
      '10 MB',
      Buffer.alloc(10_000_000, ' '),
      'too-large',
      'it is larger than 5 MiB',
      'check that it is the document: a document has a few kilobytes',
    ],
    [
      'deeply nested JSON',
      '{"a":'.repeat(100_000),
      'too-deep',
      'it is nested deeper than 64 levels',
      'remove the nesting: a document needs 4',
    ],
    [
      'text in invalid UTF-8',
      Buffer.from([0x7b, 0xff]),
      'not-utf8',
      'it has bytes that are not UTF-8',
      'save it as UTF-8',
    ],
    [
      'JSON in UTF-16',
      Buffer.from('\ufeff{}', 'utf16le'),
      'utf16',
      'it is UTF-16; JSON is UTF-8',
      'save it as UTF-8 (in PowerShell 7: `Set-Content -Encoding utf8NoBOM`)',
    ],
    [
      'a cut XML list',
      profile,
      'broken-property-list',
      'it is not a complete property list, at line 1',
      'run `plutil -lint` on it (macOS), or `plistutil -i FILE` (libplist)',
      { line: 1 },
    ],
    [
      'a cut binary list',
      buildBinary({ inferenceProvider: 'gateway' }).slice(0, 40),
      'broken-property-list',
      'it is not a complete property list',
      'run `plutil -lint` on it (macOS), or `plistutil -i FILE` (libplist)',
    ],
    [
      'a cut registry file',
      Buffer.from(`\ufeff${registry}`, 'utf16le').subarray(0, -1),
      'broken-registry-file',
      'it is not a complete registry file in UTF-16 or UTF-8',
      'export it again with `reg export`',
    ],
    [
      'a signed profile',
      Buffer.from('-----BEGIN PKCS7-----'),
      'signed-profile',
      'it is a signed profile',
      'remove the signature: `security cms -D -i signed.mobileconfig -o plain.mobileconfig` (macOS), or `openssl smime -verify -noverify -inform DER -in signed.mobileconfig -out plain.mobileconfig`',
    ],
  ])('where it is %s', async (_what, content, code, message, hint, at = {}) => {
    const path = await writeTemporary('document', content)
    const { stdout, ...rest } = await runGatepass('config', 'check', '--json', path)
    const converted = await runGatepass('config', 'convert', '--to', 'flat', path)
    expect({ checked: { ...rest, report: JSON.parse(stdout) }, converted }).toEqual({
      checked: {
        status: 2,
        report: { status: 2, document: path, findings: [{ path: '', code, severity: 'error', message, hint, ...at }] },
        stderr: '',
      },
      converted: fails('gatepass', 2, `${path}: ${message} (${code})`, `${hint}`),
    })
  })
})

describe('a document that can be read in part', () => {
  test.each([
    ['keys that stand twice', '{"inference":{},"inference":{}}', 1, ['provider-missing', 'duplicate-key']],
    ['a byte order mark', `\ufeff{}`, 0, ['byte-order-mark', 'not-activated']],
    ['__proto__', '{"__proto__":{"inference":{"provider":"gateway"}}}', 0, ['reserved-key', 'not-activated']],
    ['a cut registry value', `${registry}"inferenceProvider"="gatew`, 1, ['registry-type']],
  ])('has findings for %s', async (_what, content, status, codes) => {
    const outcome = await pipeToGatepass(content, 'config', 'check', '--json', '-')
    const found = JSON.parse(outcome.stdout).findings.map(({ code }: { code: string }) => code)
    expect({ status: outcome.status, codes: found, stderr: outcome.stderr }).toEqual({ status, codes, stderr: '' })
  })

  test('cannot write to the terminal with its keys and values', async () => {
    const name = 'x\u009b31m\u001b[31m'
    const document = JSON.stringify({ inference: { [name]: 1, baseUrl: `https://a.example/${name}` } })
    const path = await writeTemporary('escape.json', document)
    for (const argv of [
      ['check', path],
      ['diff', path, path.replace('escape', 'none')],
      ['convert', '--to', 'flat', path],
    ]) {
      const { stderr } = await runGatepass('config', ...argv)
      expect(stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    }
    const { stdout } = await runGatepass('config', 'check', path)
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })
})

describe('a document that is not a file', () => {
  test('is read to the limit from endless standard input', async () => {
    const cwd = await temporaryDirectory()
    const { stdout, stderr } = await runOnPath('bash', ['-c', 'yes | gatepass config check -; echo $?'], { cwd })
    expect({ stdout, stderr }).toEqual({
      stdout: `Errors: this will not take effect, or gives no credential
  the document  too-large
    it is larger than 5 MiB
    → check that it is the document: a document has a few kilobytes

The document cannot be read.
2
`,
      stderr: '',
    })
  })

  test('is given up where nobody writes to its pipe', async () => {
    const cwd = await temporaryDirectory()
    const { stdout, stderr } = await runOnPath('bash', ['-c', 'mkfifo pipe; gatepass config check pipe; echo $?'], {
      cwd,
    })
    expect({ stdout, stderr }).toEqual({
      stdout: `Errors: this will not take effect, or gives no credential
  the document  file-unreadable
    it was not read within 30 s
    → if it is a pipe, have a program write to it and close it; otherwise see what is mounted there with: mount

The document cannot be read.
2
`,
      stderr: '',
    })
  })

  test.each([
    ['a process substitution', 'gatepass config check --os linux <(cat)'],
    ['the name of a pipe', 'mkfifo pipe; cat > pipe & gatepass config check --os linux pipe'],
    ['/dev/stdin', 'cat | gatepass config check --os linux /dev/stdin'],
  ])('is read from %s as from a file', async (_what, command) => {
    const cwd = await temporaryDirectory()
    const outcome = await runOnPath('bash', ['-c', `exec 3<&0; ${command.replace('cat', 'cat <&3')}`], {
      cwd,
      input: documentWith(),
    })
    expect(outcome).toEqual(
      prints(`Good to know
  the document  consent-asked
    users are asked to agree before these take effect: inference.baseUrl, inference.credential.command

This document works: 1 note.
`),
    )
  })

  test('is refused where it is a directory', async () => {
    const directory = `${await temporaryDirectory()}/folder`
    await mkdir(directory)
    const { status, stdout } = await runGatepass('config', 'check', directory)
    expect({ status, stdout }).toEqual({
      status: 2,
      stdout: `Errors: this will not take effect, or gives no credential\n  the document  file-unreadable\n    it is not a file\n    → give the path of the document itself in place of ${directory}\n\nThe document cannot be read.\n`,
    })
  })

  test('is refused before a request where its URL has a password', async () => {
    const { status, stdout } = await runGatepass('config', 'check', 'https://user:canary@nowhere.invalid/')
    expect({ status, stdout }).toEqual({
      status: 2,
      stdout: `Errors: this will not take effect, or gives no credential
  the document  url-user-information
    the URL carries a user name or password
    → remove everything between // and @

The document cannot be read.
`,
    })
    expect(stdout).not.toContain('canary')
  })
})
