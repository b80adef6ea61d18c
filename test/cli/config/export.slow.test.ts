import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { flatKeys } from '../../../src/config/fields.ts'
import { fails, type Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { neutralNote } from '../neutral-note.ts'
import { documentWith, pipeToGatepass, runGatepass } from '../run-gatepass.ts'

const document = documentWith({
  commandWindows: 'C:\\Program Files\\Gatepass\\aws-bedrock-token.exe',
  args: ['--header', "X-Team: it's '{account}' & <more>"],
})

/** The lines on stderr after an export to a file. */
const noteAfter = {
  mobileconfig: () => neutralNote,
  reg: () => neutralNote,
  linux: (out: string) =>
    `install it with: sudo install -D -o root -g root -m 0644 '${out}' /etc/vendor-desktop/managed-settings.json\n${neutralNote}`,
}

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
  test('says how it is installed, and is read back as the document it was made of', async () => {
    const { out, outcome } = await exportTo(platform)
    const { status, stdout } = await runGatepass('config', 'check', '--os', os, out)
    expect({
      outcome,
      difference: await pipeToGatepass(document, 'config', 'diff', '-', out),
      check: { status, last: stdout.split('\n').at(-2) },
    }).toEqual({
      outcome: { status: 0, stdout: '', stderr: noteAfter[platform as keyof typeof noteAfter](out) },
      difference: { status: 0, stdout: 'A client applies both alike.\n', stderr: '' },
      check: { status: 0, last: 'This document works: 1 note.' },
    })
  })

  test('is checked for its platform on any machine and in any form', async () => {
    const elsewhere = documentWith(platform === 'reg' ? {} : { command: 'C:\\h.exe' })
    const preferences = await pipeToGatepass(elsewhere, 'config', 'convert', '--to', 'managed', '--force', '-')
    const { status, stdout, stderr } = await pipeToGatepass(
      preferences.stdout,
      'config',
      'export',
      '--to',
      platform,
      '-',
    )
    expect({ status, stdout, path: /^gatepass: (inference\w+): .* \((\S+)\)$/m.exec(stderr)?.slice(1) }).toEqual({
      status: 1,
      stdout: '',
      path:
        platform === 'reg'
          ? ['inferenceCredentialHelperWindows', 'required-missing']
          : ['inferenceCredentialHelper', 'relative-path'],
    })
  })

  test('is the same every time, on standard output too', async () => {
    const { out } = await exportTo(platform)
    const { stdout } = await pipeToGatepass(document, 'config', 'export', '--to', platform, '-')
    expect(Buffer.from(stdout)).toEqual(Buffer.from(await readFile(out, 'utf8')))
  })
})

test('takes the names of a profile for macOS', async () => {
  const { out } = await exportTo('mobileconfig', '--identifier', 'com.example.ai', '--organization', 'A & B')
  const text = await readFile(out, 'utf8')
  const named = [...text.matchAll(/<key>(PayloadIdentifier|PayloadOrganization)<\/key>\s*<string>(.*)<\/string>/g)]
  expect(named.map(([, ...pair]) => pair)).toEqual([
    ['PayloadIdentifier', 'com.example.ai'],
    ['PayloadOrganization', 'A &amp; B'],
    ['PayloadIdentifier', 'com.example.ai.settings'],
  ])
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

test('leaves out, with an error, a value that no platform can hold', async () => {
  const key = JSON.stringify({
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      credential: { kind: 'static', apiKey: 'a\nb' },
    },
  })
  const argv = ['config', 'export', '--to', 'mobileconfig', '--force', '-']
  const { status, stdout, stderr } = await pipeToGatepass(key, ...argv)
  expect({ status, stderr, keys: [...stdout.matchAll(/<key>(inference\w*)<\/key>/g)].map(([, key]) => key) }).toEqual({
    status: 1,
    keys: ['inferenceProvider', 'inferenceGatewayBaseUrl', 'inferenceCredentialKind'],
    stderr: `gatepass: inferenceGatewayApiKey: it has a control character or an unpaired surrogate, and was left out (not-exportable)
gatepass: hint: remove that character
${neutralNote}`,
  })
})

test('is checked for the client that it is made for', async () => {
  const argv = ['config', 'export', '--to', 'reg', '--client-version', '1.14271.0', '-']
  expect(await pipeToGatepass(document, ...argv)).toEqual({
    status: 1,
    stdout: '',
    stderr: `gatepass: inference.credential.commandWindows: clients read this from 2.2553.0 on, and this one is 1.14271.0 (newer-than-client)
gatepass: hint: update the client to 2.2553.0, or do without
gatepass: inference.credential.args: clients read this from 2.110.0 on, and this one is 1.14271.0 (newer-than-client)
gatepass: hint: update the client to 2.110.0, or remove it and set its options in a file or by variables: see aws-bedrock-token --help
gatepass: nothing was written, because of the errors
gatepass: hint: correct the document, or pass --force to write it all the same
`,
  })
})

describe('--undo', () => {
  test.each(['reg', 'intune'])('for %s removes every known key, and those that only the document names', async (to) => {
    const flat = '{ "inferenceProvider": "gateway", "inferenceOurOwn": "x" }'
    const [all, more] = await Promise.all([
      runGatepass('config', 'export', '--to', to, '--undo'),
      pipeToGatepass(flat, 'config', 'export', '--to', to, '--undo', '-'),
    ])
    const inWords = ({ stdout, ...rest }: Outcome) => ({
      ...rest,
      removes: [...stdout.replaceAll('\0', '').matchAll(/^(?:"(\w+)"=-|Remove-Policy '(\w+)')\r$/gm)].map(
        ([, registry, script]) => registry ?? script,
      ),
    })
    const done = { status: 0, stderr: neutralNote }
    expect([inWords(all), inWords(more)]).toEqual([
      { ...done, removes: flatKeys },
      { ...done, removes: [...flatKeys, 'inferenceOurOwn'] },
    ])
  })

  test('is refused where a file is replaced as a whole', async () => {
    expect(await runGatepass('config', 'export', '--to', 'linux', '--undo')).toEqual({
      status: 2,
      stdout: '',
      stderr: `gatepass: there is no --undo for linux: its file is replaced as a whole
gatepass: hint: delete the managed file on each machine
`,
    })
  })

  test('needs no document, unlike an export', async () => {
    expect(await runGatepass('config', 'export', '--to', 'reg')).toEqual(
      fails('gatepass', 2, "missing required argument 'document'", 'see: gatepass config export --help'),
    )
  })
})

test('writes no file for an unreadable document', async () => {
  expect(await pipeToGatepass('[]', 'config', 'export', '--to', 'reg', '-')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: standard input: expected a JSON object, found an array (not-an-object)
gatepass: hint: put the fields between { and }
`,
  })
})
