import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { vendor } from '../../../src/vendor.ts'
import { applyOmaUri } from '../../config/render/management/apply-oma-uri.ts'
import { renderRegistryExport } from '../../config/render/management/apply-template.ts'
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
  expect(await exportTo(document, 'admx', '--out', out)).toEqual({
    status: 0,
    stdout: '',
    stderr: `copy what is in ${out} to the folder PolicyDefinitions of Windows or of the domain, and enable the policies that the document sets\n${neutralNote}`,
  })
  const name = `${vendor.name.replace(/[^A-Za-z0-9]/g, '').toLowerCase()}-desktop`
  expect([await readdir(out), await readdir(join(out, 'en-US'))]).toEqual([['en-US', `${name}.admx`], [`${name}.adml`]])
  const template = await readFile(join(out, 'en-US', `${name}.adml`), 'utf8')
  expect(template.match(/<defaultValue>.*oidc.*<\/defaultValue>/g)).toEqual([
    '<defaultValue>/opt/gatepass/oidc-token</defaultValue>',
    '<defaultValue>C:\\Program Files\\Gatepass\\oidc-token.exe</defaultValue>',
  ])
})

test('several files need a folder', async () => {
  expect(await exportTo(document, 'admx')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'gatepass: the output is several files\ngatepass: hint: name a folder for them with --out\n',
  })
})

test('compliance rules need a page for people, on the web', async () => {
  const out = join(await temporaryDirectory(), 'compliance')
  expect(await exportTo(document, 'compliance', '--out', out)).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: compliance rules name a page that tells people what to do
gatepass: hint: name one: --more-info-url https://…
`,
  })
  expect(await exportTo(document, 'compliance', '--out', out, '--more-info-url', 'http://help.example.com')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: option '--more-info-url <url>' argument 'http://help.example.com' is invalid. expected a URL with https.
gatepass: hint: see: gatepass config export --help
`,
  })
  expect(await exportTo(document, 'compliance', '--out', out, '--more-info-url', 'https://help.example.com/')).toEqual({
    status: 0,
    stdout: '',
    stderr: neutralNote,
  })
  expect(await readdir(out)).toEqual(['discovery.ps1', 'rules.json'])
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
  expect(await pipeToGatepass(document, 'config', 'diff', '-', path)).toEqual({
    status: 0,
    stdout: 'A client applies both alike.\n',
    stderr: '',
  })
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
  expect(await exportTo(document, format, '--undo')).toEqual({
    status: 2,
    stdout: '',
    stderr: `gatepass: there is no --undo for ${format}: ${reason}\ngatepass: hint: ${hint}\n`,
  })
})
