import { describe, expect, test } from 'vitest'
import { vendorRules } from '../../src/vendor/rules.ts'
import { toVendor, type VendorKey, type VendorSetting } from '../../src/vendor/setting.ts'
import { parseVendorSetting, validateVendorSetting } from '../../src/vendor/validate-setting.ts'

const least = { name: 'Acme', envPrefix: 'ACME_AI', headerPrefix: 'acme', cloudWord: 'Cirrus', keyPrefix: 'sk-acme-' }

const every: Required<VendorSetting> = {
  ...least,
  platformEnvPrefix: 'CIRRUS',
  cloudConfigDirKey: 'inferenceCirrusHome',
  cloudCliPathKey: 'inferenceCirrusTool',
  awsService: 'cirrus.models',
  keyHelperTtlVariable: 'AGENT_TTL_MS',
  macosPayloadType: 'ai.example.Client',
  windowsPolicyKey: 'Software\\Policies\\Example.ai\\Client 2',
  linuxManagedFile: '/etc/opt/example.ai/policy.json',
  codeSigningIdentifier: 'com.example.it.gatepass',
  publisher: 'Example, Inc. (IT)',
  contact: 'it+desk@example.com',
  helpUrl: 'https://it.example.com/help?about=desk&n=1%25',
  licence: 'MIT OR (LicenseRef-Example AND Apache-2.0)',
}

function problemsOf(change: Record<string, unknown>): readonly string[] {
  const result = validateVendorSetting({ ...every, ...change })
  return 'problems' in result ? result.problems : []
}

test('a name that a file leaves out is derived', () => {
  expect(toVendor({ ...least, name: 'Acme AI', headerPrefix: 'Acme.X' })).toEqual({
    ...least,
    name: 'Acme AI',
    headerPrefix: 'Acme.X',
    platformEnvPrefix: 'ACME_AI',
    cloudConfigDirKey: 'inferenceCirrusConfigDir',
    cloudCliPathKey: 'inferenceCirrusCliPath',
    awsService: 'aws-external-acme-ai',
    keyHelperTtlVariable: 'ACME_AI_CODE_API_KEY_HELPER_TTL_MS',
    macosPayloadType: 'com.acme-ai.desktop',
    windowsPolicyKey: 'SOFTWARE\\Policies\\Acme AI',
    linuxManagedFile: '/etc/acme-ai-desktop/managed-settings.json',
    codeSigningIdentifier: 'com.acme-ai.gatepass',
    publisher: 'unnamed publisher',
    contact: '',
    helpUrl: '',
    licence: 'Apache-2.0',
    contextVariable: 'ACME_AI_HELPER_CONTEXT',
    manualRunVariable: 'ACME_AI_HELPER_MANUAL_RUN',
    apiKeyVariable: 'ACME_AI_API_KEY',
    baseUrlVariable: 'ACME_AI_BASE_URL',
    agentPrefix: 'ACME_AI_CODE',
    versionHeader: 'acme.x-version',
    betaHeader: 'acme.x-beta',
    workspaceHeader: 'acme.x-workspace-id',
  })
})

test('every value of a vendor file is taken unchanged', () => {
  expect(parseVendorSetting(`\ufeff${JSON.stringify(every)}`)).toEqual({ setting: every })
})

test('the variables of the platform’s tools may have another prefix than those of the client', () => {
  expect(toVendor(every)).toEqual({
    contextVariable: 'ACME_AI_HELPER_CONTEXT',
    apiKeyVariable: 'CIRRUS_API_KEY',
    baseUrlVariable: 'CIRRUS_BASE_URL',
    platformEnvPrefix: 'CIRRUS',
    cloudConfigDirKey: 'inferenceCirrusHome',
    cloudCliPathKey: 'inferenceCirrusTool',
    awsService: 'cirrus.models',
    keyHelperTtlVariable: 'AGENT_TTL_MS',
    macosPayloadType: 'ai.example.Client',
    windowsPolicyKey: 'Software\\Policies\\Example.ai\\Client 2',
    linuxManagedFile: '/etc/opt/example.ai/policy.json',
    codeSigningIdentifier: 'com.example.it.gatepass',
    publisher: 'Example, Inc. (IT)',
    contact: 'it+desk@example.com',
    helpUrl: 'https://it.example.com/help?about=desk&n=1%25',
    licence: 'MIT OR (LicenseRef-Example AND Apache-2.0)',
    name: 'Acme',
    envPrefix: 'ACME_AI',
    headerPrefix: 'acme',
    cloudWord: 'Cirrus',
    keyPrefix: 'sk-acme-',
    manualRunVariable: 'ACME_AI_HELPER_MANUAL_RUN',
    agentPrefix: 'ACME_AI_CODE',
    versionHeader: 'acme-version',
    betaHeader: 'acme-beta',
    workspaceHeader: 'acme-workspace-id',
  })
})

describe('the legal form of a name', () => {
  test.each<[VendorKey, string]>([
    ['name', 'Yahoo! & Sons (Ünal)'],
    ['envPrefix', '_a1'],
    ['headerPrefix', 'X-Acme.AI'],
    ['cloudWord', '2.Wolke_a-b'],
    ['keyPrefix', 'acme_live.'],
    ['macosPayloadType', 'com.example_corp.A-1'],
    ['windowsPolicyKey', 'SOFTWARE\\Example, Inc.\\Client'],
    ['linuxManagedFile', '/opt/..data/a b.json'],
  ])('%s: %s is accepted', (key, value) => {
    expect(problemsOf({ [key]: value })).toEqual([])
  })

  test.each<[VendorKey, unknown]>([
    ['name', 'Acme '],
    ['name', 'Acme\\AI'],
    ['envPrefix', 'ACME-AI'],
    ['envPrefix', '9ACME'],
    ['headerPrefix', 'acme-'],
    ['headerPrefix', 'acme ai'],
    ['cloudWord', ''],
    ['platformEnvPrefix', 'ACME_'],
    ['cloudConfigDirKey', 'cirrusHome'],
    ['cloudCliPathKey', 'inference'],
    ['keyPrefix', 's'],
    ['keyPrefix', 'sk "'],
    ['awsService', 'Acme'],
    ['keyHelperTtlVariable', 'A=B'],
    ['macosPayloadType', 'desktop'],
    ['macosPayloadType', 'com..desktop'],
    ['windowsPolicyKey', 'HKLM\\SOFTWARE\\Acme'],
    ['windowsPolicyKey', 'SOFTWARE\\\\Acme'],
    ['windowsPolicyKey', 'SOFTWARE/Acme'],
    ['linuxManagedFile', 'etc/acme.json'],
    ['linuxManagedFile', '/etc/../acme.json'],
    ['linuxManagedFile', '/etc/acme/'],
    ['codeSigningIdentifier', 'com.acme_ai'],
    ['publisher', 'Acme\nInc.'],
    ['publisher', 7],
    ['contact', 'desk at example.com'],
    ['contact', 'Desk <desk@example.com>'],
    ['helpUrl', 'help.example.com'],
    ['helpUrl', 'https://example.com/"x'],
    ['licence', 'a licence;'],
    ['publisher', null],
  ])('%s: %j is refused', (key, value) => {
    const { expected } = vendorRules[key]
    expect(problemsOf({ [key]: value })).toEqual([`${key}: expected ${expected}; found ${JSON.stringify(value)}`])
  })
})

test('names that belong to others are refused, in any case', () => {
  expect(problemsOf({ envPrefix: 'Gatepass', headerPrefix: 'Content', awsService: 'bedrock' })).toEqual([
    'envPrefix: "Gatepass" cannot be used: other programs have variables that begin so',
    'headerPrefix: "Content" cannot be used: headers that begin so belong to HTTP itself',
    'awsService: "bedrock" cannot be used: it is a service of AWS’s own',
  ])
})

test('all problems are reported at once', () => {
  expect(problemsOf({ name: undefined, cloudWord: 1, color: 'red' })).toEqual([
    `name is missing: expected ${vendorRules.name.expected}`,
    `cloudWord: expected ${vendorRules.cloudWord.expected}; found 1`,
    `"color" is not a name in a vendor file; it has ${Object.keys(vendorRules).join(', ')}`,
  ])
})

test('several unknown names are one problem, with one list of the known names', () => {
  expect(problemsOf({ color: 'red', version: '1.0.0' })).toEqual([
    `"color", "version" are not names in a vendor file; it has ${Object.keys(vendorRules).join(', ')}`,
  ])
})

test('a name from which nothing can be derived requires the others', () => {
  const cannot = (key: string) => `${key} is missing, and cannot be derived from the name "夢"`
  expect(validateVendorSetting({ ...least, name: '夢' })).toEqual({
    problems: ['awsService', 'macosPayloadType', 'linuxManagedFile', 'codeSigningIdentifier'].map(cannot),
  })
  expect(problemsOf({ name: '夢' })).toEqual([])
})

test.each([
  ['', 'it is not JSON'],
  ['{', 'it is not JSON'],
  [Buffer.from('\ufeff{}', 'utf16le').toString(), 'it is not JSON; save it as UTF-8'],
  ['[]', 'it is not a JSON object'],
  ['null', 'it is not a JSON object'],
])('a text %j is reported', (text, problem) => {
  expect(parseVendorSetting(text)).toEqual({ problems: [problem] })
})
