import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendor } from '../../../src/vendor.ts'
import { applyOmaUri } from '../../config/render/management/apply-oma-uri.ts'
import { renderRegistryExport } from '../../config/render/management/apply-template.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { neutralNote } from '../neutral-note.ts'
import { documentWith, pipeToGatepass, writeTemporary } from '../run-gatepass.ts'

const document = documentWith({
  command: '/opt/gatepass/oidc-token',
  commandWindows: 'C:\\Program Files\\Gatepass\\oidc-token.exe',
  args: ['--refresh-token-store', 'keychain'],
})
const exportTo = (input: string, ...argv: string[]) => pipeToGatepass(input, 'config', 'export', '--to', ...argv, '-')

test('a template goes into a folder as Windows keeps its templates', async () => {
  const out = join(await temporaryDirectory(), 'PolicyDefinitions')
  const outcome = await exportTo(document, 'admx', '--out', out)
  const name = `${vendor.name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()}-desktop`
  const template = await readFile(join(out, 'en-US', `${name}.adml`), 'utf8')
  expect({
    outcome,
    files: [await readdir(out), await readdir(join(out, 'en-US'))],
    paths: template.match(/<defaultValue>.*oidc.*<\/defaultValue>/g),
  }).toEqual({
    outcome: prints(
      '',
      `copy what is in ${out} to the folder PolicyDefinitions of Windows or of the domain, and enable the policies that the document sets\n${neutralNote}`,
    ),
    files: [['en-US', `${name}.admx`], [`${name}.adml`]],
    paths: [
      '<defaultValue>/opt/gatepass/oidc-token</defaultValue>',
      '<defaultValue>C:\\Program Files\\Gatepass\\oidc-token.exe</defaultValue>',
    ],
  })
})

test('several files need a folder', async () => {
  expect(await exportTo(document, 'admx')).toEqual(
    fails('gatepass', 2, 'the output is several files', 'name a folder for them with --out'),
  )
})

test('compliance rules need a page for people, on the web', async () => {
  const out = join(await temporaryDirectory(), 'compliance')
  const exportRules = (...argv: string[]) => exportTo(document, 'compliance', '--out', out, ...argv)
  const outcomes = {
    without: await exportRules(),
    http: await exportRules('--more-info-url', 'http://help.example.com'),
    https: await exportRules('--more-info-url', 'https://help.example.com/'),
  }
  expect({ ...outcomes, files: await readdir(out) }).toEqual({
    without: fails(
      'gatepass',
      2,
      'compliance rules name a page that tells people what to do',
      'name one: --more-info-url https://…',
    ),
    http: fails(
      'gatepass',
      2,
      "option '--more-info-url <url>' argument 'http://help.example.com' is invalid. expected a URL with https.",
      'see: gatepass config export --help',
    ),
    https: { status: 0, stdout: '', stderr: neutralNote },
    files: ['discovery.ps1', 'rules.json'],
  })
})

test.each(['oma-uri', 'detection-windows', 'sccm-discovery', 'remediation'])(
  '%s is one file, the same every time',
  async (format) => {
    const [first, second] = await Promise.all([exportTo(document, format), exportTo(document, format)])
    expect(second).toEqual({ status: 0, stdout: first.stdout, stderr: neutralNote })
    expect(first.stdout).toContain(vendor.name)
  },
)

test('policies that the profile sets replace what was in the registry before', async () => {
  const { stdout: profile } = await exportTo(document, 'oma-uri')
  const before = { inferenceGatewayApiKey: 'sk-of-the-document-before', inferenceProvider: 1 }
  const path = await writeTemporary('applied.reg', renderRegistryExport(applyOmaUri(profile, before)))
  expect(await pipeToGatepass(document, 'config', 'diff', '-', path)).toEqual(prints('A client applies both alike.\n'))
})

test('a key that Gatepass does not know is left out of policies, and kept in scripts', async () => {
  const { stdout: flat } = await pipeToGatepass(document, 'config', 'convert', '--to', 'flat', '-')
  const withOther = JSON.stringify({ ...JSON.parse(flat), inferenceOurOwn: 'x' })
  const [profile, script] = await Promise.all([exportTo(withOther, 'oma-uri'), exportTo(withOther, 'remediation')])
  expect([profile.stdout.includes('inferenceOurOwn'), script.stdout.includes("'inferenceOurOwn' = 'x'")]).toEqual([
    false,
    true,
  ])
  expect(profile.stderr).toBe(`\
gatepass: warning: inferenceOurOwn: the client does not know this field and ignores it (unknown-field)
gatepass: hint: remove it, or check its spelling and its position
gatepass: warning: inferenceOurOwn: the administrative template has no policy for it, and it was left out (kept-aside)
gatepass: hint: set it with a file of --to reg as well, if it is needed
${neutralNote}`)
})

test.each([
  ['admx', 'it changes nothing on a machine', 'set the policies to "Not configured": Windows takes their values away'],
  ['oma-uri', 'device management keeps it as a whole', 'delete the profile: device management takes its values away'],
  ['remediation', 'it would be set again', 'take it out of the device management, and use --to intune --undo'],
])('--undo is refused for %s with another way', async (format, reason, hint) => {
  expect(await exportTo(document, format, '--undo')).toEqual(
    fails('gatepass', 2, `there is no --undo for ${format}: ${reason}`, hint),
  )
})
