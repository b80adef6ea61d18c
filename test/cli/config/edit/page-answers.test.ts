import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createAnswers } from '../../../../src/cli/config/edit/page-answers.ts'
import type { Compared, DrawnDay, Examined, ExportedFiles } from '../../../../src/cli/config/edit/page-data.ts'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { documentWith } from '../../run-gatepass.ts'
import { createTestCli, runHere } from '../../run-here.ts'

async function edit(content: string) {
  const path = join(await temporaryDirectory(), 'doc.json')
  await writeFile(path, content)
  const { cli } = await createTestCli([])
  const saves: string[] = []
  const { open, answers } = createAnswers(cli, { path, release: '' }, () => saves.push('saved'))
  return { path, open, answers, saves }
}

const examine = async (text: string, release = '', system = 'linux') => {
  const { answers } = await edit(text)
  return (await answers.examine({ text, release, system })) as Examined
}

describe('findings are those of config check', () => {
  test.each([
    documentWith({ ttlSec: 60, timeoutSec: 'x', args: ['a"b'], unknown: 1 }),
    documentWith({ kind: 'interactive' }),
    '{"inferenceProvider": "gateway", "inferenceGatewayOidc": {"clientId": ""}}',
    '{"a": }',
    '',
    '{}',
    '{"inference": {"provider": "another"}}',
  ])('for the text %j', async (text) => {
    const path = join(await temporaryDirectory(), 'doc.json')
    await writeFile(path, text)
    const { stdout } = await runHere(['config', 'check', '--os', 'linux', '--json', path])
    const { findings } = await examine(text)
    expect(findings.map(({ field: _, ...finding }) => finding)).toEqual(JSON.parse(stdout).findings)
  })

  test('a release that is not complete yet is ignored', async () => {
    const text = documentWith({ args: ['a'] })
    const codes = async (release: string) => (await examine(text, release)).findings.map(({ code }) => code)
    expect(await codes('1.')).toEqual(await codes(''))
    expect(await codes('1.8555.0')).toEqual(['helper-arguments', 'newer-than-client', 'consent-asked'])
  })
})

describe('a finding leads to its field', () => {
  test.each([
    ['nested', documentWith({ ttlSec: 'x' }), { 'wrong-type': 'inference.credential.ttlSec helper-script' }],
    [
      'nested, an item of a list',
      documentWith({ args: ['a%'] }),
      { 'invalid-value': 'inference.credential.args helper-script' },
    ],
    ['nested, a name that no field has', documentWith({ ttl: 1 }), { 'unknown-field': 'inference.credential' }],
    ['flat', '{"inferenceProvider":"gateway","inferenceGatewayBaseUrl":"x"}', { 'invalid-value': 'inference.baseUrl' }],
    ['of the whole document', '{"a": }', { 'not-json': undefined }],
  ])('where the document is %s', async (_, text, expected) => {
    const { findings } = await examine(text)
    const [code = ''] = Object.keys(expected)
    expect({ [code]: findings.find((row) => row.code === code)?.field }).toEqual(expected)
  })
})

describe('the place of a field', () => {
  const find = async (text: string, ...ids: string[]) => {
    const { keys, shape, kind } = await examine(text)
    return { shape, kind, keys: ids.map((id) => keys[id]) }
  }
  const issuer = 'inference.credential.oidc.issuer external-idp'

  test('is its path in the nested form, also where the text is broken or has comments', async () => {
    const ids = ['inference.baseUrl', 'inference.credential.command helper-script', issuer]
    const found = {
      shape: 'nested',
      kind: 'helper-script',
      keys: [['inference', 'baseUrl'], ['inference', 'credential', 'command'], undefined],
    }
    expect(await find(documentWith(), ...ids)).toEqual(found)
    expect(await find(`// ours\n${documentWith()}`, ...ids)).toEqual(found)
  })

  test('is the other place where clients read the field, if the document has it there', async () => {
    const text = '{"inference":{"provider":"gateway","awsEnv":{"profile":"ai"},"credential":{"kind":"helper-script"}}}'
    const ids = ['profile', 'awsDir'].map((name) => `inference.credential.awsEnv.${name} helper-script`)
    expect(await find(text, ...ids)).toEqual({
      shape: 'nested',
      kind: 'helper-script',
      keys: [
        ['inference', 'awsEnv', 'profile'],
        ['inference', 'awsEnv', 'awsDir'],
      ],
    })
  })

  test('is its flat key, or the deprecated one that the document has', async () => {
    const now =
      '{"inferenceProvider":"gateway","inferenceCredentialKind":"external-idp","inferenceIdpOidc":{"clientId":"a"}}'
    const old =
      '{"inferenceProvider":"gateway","inferenceCredentialKind":"interactive","inferenceGatewayOidc":{"clientId":"a"}}'
    const found = { shape: 'flat', kind: 'external-idp' }
    expect(await find(now, issuer, 'expiresAt')).toEqual({
      ...found,
      keys: [['inferenceIdpOidc', 'issuer'], ['expiresAt']],
    })
    expect(await find(old, issuer)).toEqual({ ...found, keys: [['inferenceGatewayOidc', 'issuer']] })
  })

  test('is missing for a field that managed preferences cannot hold', async () => {
    const text = '{"inferenceProvider":"gateway","inferenceCredentialHelperTtlSec":"60"}'
    expect(await find(text, 'expiresAt', 'inference.baseUrl')).toEqual({
      shape: 'managed',
      keys: [undefined, ['inferenceGatewayBaseUrl']],
    })
  })
})

test('lists the releases that read each value, unless every release does', async () => {
  const { releases } = await examine(documentWith({ args: ['a'], ttlSec: 900 }))
  expect(releases).toEqual([
    {
      release: '1.2581.0',
      paths: ['provider', 'baseUrl', 'credential.command', 'credential.ttlSec'].map((path) => `inference.${path}`),
    },
    { release: '1.8555.0', paths: ['inference.credential.kind'] },
    { release: '2.110.0', paths: ['inference.credential.args'] },
  ])
})

describe('the difference', () => {
  test('to the file is told in the words of config diff, without a secret', async () => {
    const before = '{"inference":{"provider":"gateway","credential":{"kind":"static","apiKey":"key-one"}}}'
    const { answers } = await edit(before)
    const text = before.replace('key-one', 'key-two').replace('"provider"', '"sessionLifetimeSec":60,"provider"')
    expect(await answers.compare({ text, with: 'file', other: '' })).toEqual({
      source: 'the file',
      problem: '',
      differences: [
        { path: 'inference.sessionLifetimeSec', before: 'not set', after: '60', isAsked: false },
        { path: 'inference.credential.apiKey', before: '"[secret]"', after: '"[secret]"', isAsked: false },
      ],
    } satisfies Compared)
  })

  test('is told to another file of any form', async () => {
    const { answers } = await edit('{}')
    const plist =
      '<?xml version="1.0"?><plist version="1.0"><dict><key>inferenceProvider</key><string>gateway</string></dict></plist>'
    const other = Buffer.from(plist).toString('base64')
    expect(await answers.compare({ text: '{"inference":{"provider":"gateway"}}', with: 'other', other })).toEqual({
      source: 'the other file',
      problem: '',
      differences: [],
    })
  })

  test('is told where nothing is installed', async () => {
    const { answers } = await edit('{}')
    expect(await answers.compare({ text: '{}', with: 'installed', other: '' })).toEqual({
      source: undefined,
      problem: 'Nothing is installed on this machine.',
      differences: [],
    })
  })

  test('is replaced by the reason where one of the two cannot be read', async () => {
    const { answers } = await edit('{')
    const ask = (text: string) => answers.compare({ text, with: 'file', other: '' })
    expect([await ask('{}'), await ask('{')].map((compared) => (compared as Compared).problem)).toEqual([
      'Nothing was compared: the file cannot be read.',
      'Nothing was compared: the file cannot be read.',
    ])
  })
})

describe('an export', () => {
  const wanted = { release: '', identifier: '', organization: '', moreInfoUrl: '' }

  test('is that of config export', async () => {
    const text = documentWith({ command: '/opt/acme/helper' })
    const { path, answers } = await edit(text)
    const { stdout } = await runHere(['config', 'export', '--to', 'linux', path])
    const { files, ...rest } = (await answers.export({ text, to: 'linux', ...wanted })) as ExportedFiles
    expect(files.map(({ name, content }) => [name, Buffer.from(content, 'base64').toString()])).toEqual([
      ['managed-settings.json', stdout],
    ])
    expect(rest).toEqual({
      problem: '',
      findings: [],
      next: 'install it with: sudo install -D -o root -g root -m 0644 managed-settings.json /etc/vendor-desktop/managed-settings.json',
    })
  })

  test.each([
    [documentWith({ command: '~/x' }), { to: 'linux' }, 'The document has errors, and is not exported.'],
    ['{', { to: 'linux' }, 'The document cannot be read.'],
    ['{}', { to: 'another' }, 'Choose a format.'],
    [
      documentWith(),
      { to: 'mobileconfig', identifier: 'x' },
      'expected letters, digits and hyphens with dots between them.',
    ],
  ])('of %s as %o is refused: %s', async (text, more, problem) => {
    const { answers } = await edit('{}')
    const { findings: _, ...rest } = (await answers.export({ text, ...wanted, ...more })) as ExportedFiles
    expect(rest).toEqual({ problem, files: [], next: '' })
  })

  test('can have every format', async () => {
    const { open, answers } = await edit('{}')
    const { formats } = (await open('')) as { formats: readonly { name: string }[] }
    const text = documentWith({ command: '/opt/acme/helper', commandWindows: 'C:\\acme\\helper.exe' })
    const more = { ...wanted, moreInfoUrl: 'https://example.com/' }
    const made = await Promise.all(formats.map(({ name }) => answers.export({ ...more, text, to: name })))
    const without = made.flatMap((exported, at) =>
      (exported as ExportedFiles).files.length > 0 ? [] : [formats[at]?.name],
    )
    expect(without).toEqual([])
  })
})

describe('the working day', () => {
  const play = async (text: string, tokenLifeSec = 3600, scenario = 'workday') => {
    const { answers } = await edit('{}')
    return (await answers.day({ text, scenario, tokenLifeSec })) as DrawnDay
  }

  test('is played with the times of the document and without a helper', async () => {
    const path = join(await temporaryDirectory(), 'helper')
    await writeFile(path, `#!/bin/sh\ntouch '${path}.ran'\n`, { mode: 0o755 })
    const { timeline, ...day } = await play(documentWith({ command: path, ttlSec: 1800 }))
    expect({ ...day, timeline: timeline.slice(0, 18), wasHelperRun: existsSync(`${path}.ran`) }).toEqual({
      timeline: '<ul class="legend"',
      wasHelperRun: false,
      problem: '',
      isWell: true,
      verdict: 'No turn was lost.',
      numbers: [
        { name: 'helper runs', value: '16' },
        { name: 'turns', value: '96' },
        { name: 'turns waited for', value: '0' },
        { name: 'longest wait', value: '0 ms' },
        { name: 'prompts shown', value: '0' },
        { name: 'turns lost', value: '0' },
      ],
      conclusions: [],
    })
  })

  test.each([
    ['a helper', documentWith()],
    [
      'a sign-in',
      '{"inference":{"provider":"gateway","baseUrl":"https://g.example","credential":{"kind":"external-idp","oidc":{"clientId":"a","issuer":"https://id.example"}}}}',
    ],
    [
      'a key',
      '{"inference":{"provider":"gateway","baseUrl":"https://g.example","credential":{"kind":"static","apiKey":"sk-x"}}}',
    ],
  ])('of %s loses no turn', async (_, text) => {
    const { problem, verdict } = await play(text)
    expect({ problem, verdict }).toEqual({ problem: '', verdict: 'No turn was lost.' })
  })

  test.each([
    ['{}', 'There is no day to play: the document has no credential that works.'],
    ['{', 'There is no day to play: the document has no credential that works.'],
  ])('cannot be played for the text %s', async (text, problem) => {
    expect(await play(text)).toEqual({
      problem,
      isWell: false,
      verdict: '',
      numbers: [],
      conclusions: [],
      timeline: '',
    })
  })
})

test.each([
  ['examine', { text: 1 }],
  ['save', {}],
  ['day', { text: '{}', scenario: 'workday', tokenLifeSec: 0 }],
  ['compare', { text: '{}', with: '/etc/passwd', other: '' }],
] as const)('%s refuses a malformed body', async (name, body) => {
  const { answers } = await edit('{}')
  await expect(answers[name](body)).rejects.toEqual(
    new HelperError('usage', 'the request has another form', 'reload the page'),
  )
})

test('a new file begins with the fields that every other one depends on', async () => {
  const path = join(await temporaryDirectory(), 'new.json')
  const { cli } = await createTestCli([])
  const { open } = createAnswers(cli, { path, release: '1.2.3' }, () => {})
  const { session, name, file, text, release } = await open('a session')
  expect({ session, name, file, text, release }).toEqual({
    session: 'a session',
    name: 'new.json',
    file: { text: '', digest: 'absent' },
    text: '{\n  "$schemaVersion": 2,\n  "inference": {\n    "provider": "gateway"\n  }\n}\n',
    release: '1.2.3',
  })
})

test('a save is reported, but not one that was refused', async () => {
  const { open, answers, saves } = await edit('{}')
  const { file } = (await open('a session')) as { file: { digest: string } }
  const save = async (text: string) => (await answers.save({ text, base: file.digest })) as { isSaved: boolean }
  const kept = [await save('{"a":1}'), await save('{"b":1}')].map(({ isSaved }) => isSaved)
  expect({ kept, saves }).toEqual({ kept: [true, false], saves: ['saved'] })
})
