import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { documentWith, pipeToGatepass, runGatepass } from '../run-gatepass.ts'

const document = documentWith({
  commandWindows: 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe',
  args: ['--header', "X-Team: it's ‘{account}’"],
})

/** Exports the document to a file of the test's own. */
async function exportTo(platform: string, ...flags: string[]) {
  const out = join(await temporaryDirectory(), `document.${platform}`)
  const outcome = await pipeToGatepass(document, 'config', 'export', '--to', platform, '--out', out, ...flags, '-')
  return { out, outcome }
}

describe.each([
  ['mobileconfig', 'macos'],
  ['reg', 'windows'],
  ['linux', 'linux'],
])('an export for %s', (platform, os) => {
  test('is read back as the document it was made of', async () => {
    const { out, outcome } = await exportTo(platform)
    expect(outcome).toMatchObject({ status: 0, stdout: '' })
    expect(await pipeToGatepass(document, 'config', 'diff', '-', out)).toEqual({
      status: 0,
      stdout: 'A client applies both alike.\n',
      stderr: '',
    })
    const { status, stdout } = await runGatepass('config', 'check', '--os', os, out)
    expect({ status, last: stdout.split('\n').at(-2) }).toEqual({ status: 0, last: 'This document works: 1 note.' })
  })

  test('is the same every time, on standard output too', async () => {
    const { out } = await exportTo(platform)
    const { stdout } = await pipeToGatepass(document, 'config', 'export', '--to', platform, '-')
    expect(Buffer.from(stdout)).toEqual(Buffer.from(await readFile(out, 'utf8')))
  })
})

test('an export for macOS carries the names it is given', async () => {
  const { out } = await exportTo('mobileconfig', '--identifier', 'com.example.ai', '--organization', 'A & B')
  const text = await readFile(out, 'utf8')
  expect(text).toContain('<string>com.example.ai</string>')
  expect(text).toContain('<string>A &amp; B</string>')
})

test('an identifier that no profile can have is refused', async () => {
  expect(await runGatepass('config', 'export', '--to', 'mobileconfig', '--identifier', 'two words', '-')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: option '--identifier <name>' argument 'two words' is invalid. expected letters, digits and hyphens with dots between them.
gatepass: hint: see: gatepass config export --help
`,
  })
})

test('an export for Linux comes with the command that installs it', async () => {
  const { out, outcome } = await exportTo('linux')
  expect(outcome.stderr).toBe(
    `install it with: sudo install -D -o root -g root -m 0644 '${out}' /etc/vendor-desktop/managed-settings.json\n`,
  )
})

test('a script for device management sets every value as it is', async () => {
  const { out } = await exportTo('intune')
  const script = await readFile(out, 'utf8')
  const quoted = "'((?:[^'\u2018\u2019]|''|\u2018\u2018|\u2019\u2019)*)'"
  const values = [...script.matchAll(new RegExp(`^Set-Policy ${quoted} ${quoted}\r$`, 'gm'))].map(
    ([, ...pair]) => pair.map((text) => text.replace(/(['\u2018\u2019])\1/g, '$1')) as [string, string],
  )
  const { stdout } = await pipeToGatepass(document, 'config', 'convert', '--to', 'managed', '-')
  expect(Object.fromEntries(values)).toEqual(JSON.parse(stdout))
})

test('what no platform can hold is left out with an error', async () => {
  const key = JSON.stringify({ inference: { provider: 'gateway', credential: { kind: 'static', apiKey: 'a\nb' } } })
  const { status, stdout, stderr } = await pipeToGatepass(key, 'config', 'export', '--to', 'mobileconfig', '-')
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: `gatepass: inferenceGatewayApiKey: it has a control character or an unpaired surrogate, and was left out (not-exportable)
gatepass: hint: remove that character
`,
  })
  expect(stdout).not.toContain('inferenceGatewayApiKey')
})

test('an unreadable document gives no file', async () => {
  expect(await pipeToGatepass('[]', 'config', 'export', '--to', 'reg', '-')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: standard input: expected a JSON object, found an array (not-an-object)
gatepass: hint: put the fields between { and }
`,
  })
})
