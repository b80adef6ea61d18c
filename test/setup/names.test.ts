import { expect, test } from 'vitest'
import { toVendor } from '../../src/vendor/setting.ts'
import { createTranslator, neutralNames } from './names.ts'
import secondNames from './second-names.json' with { type: 'json' }

test('the neutral names follow from five of them and from the publisher of the build', () => {
  const { name, envPrefix, headerPrefix, cloudWord, keyPrefix, publisher, contact, helpUrl } = neutralNames
  const five = { name, envPrefix, headerPrefix, cloudWord, keyPrefix }
  expect(toVendor({ ...five, publisher, contact, helpUrl })).toEqual(neutralNames)
})

test('the second names differ from the neutral ones in every setting', () => {
  const second = toVendor(secondNames)
  const same = Object.entries(neutralNames).filter(([key, name]) => second[key as keyof typeof second] === name)
  expect([Object.keys(second).sort(), same]).toEqual([Object.keys(neutralNames).sort(), []])
})

test.each([
  ['a variable', 'VENDOR_HELPER_CONTEXT=background', 'Acme_AI_HELPER_CONTEXT=background'],
  ['one with a name of its own', 'VENDOR_CODE_API_KEY_HELPER_TTL_MS', 'AGENT_KEY_TTL'],
  ['one that only tests know', 'VENDOR_SESSION', 'Acme_AI_SESSION'],
  ['a header', 'vendor-workspace-id: w1', 'acme.ai-workspace-id: w1'],
  ['a header in capitals', 'Vendor-Beta', 'Acme.ai-Beta'],
  ['a key', 'sk-vendor-api01-x', 'ak_acme.api01-x'],
  ['a key of AWS', 'aws-external-vendor-api-key-x', 'models.partner-api-key-x'],
  ['a flat key', 'inferenceCloudProfile', 'inferenceHosted.v2Profile'],
  ['a policy', 'HKLM:\\SOFTWARE\\Policies\\Vendor', 'HKLM:\\SOFTWARE\\Policies\\Acme & Sons\\Desk 2.0'],
  ['a policy in quotes', '"SOFTWARE\\\\Policies\\\\Vendor"', '"SOFTWARE\\\\Policies\\\\Acme & Sons\\\\Desk 2.0"'],
  ['a file', '/etc/vendor-desktop/managed-settings.json', '/etc/opt/desk.d/managed.json'],
  ['a version', '(commit …, for Vendor)', '(commit …, for Acme.ai)'],
  ['what is no name', "import { vendor } from './vendor.ts'", "import { vendor } from './vendor.ts'"],
])('%s is translated', (_, text, translated) => {
  expect(createTranslator(toVendor(secondNames))(text)).toBe(translated)
})
