import { describe, expect, test } from 'vitest'
import { flatKeys } from '../../../../src/config/fields.ts'
import { parseDocument } from '../../../../src/config/read/read-document.ts'
import { renderAdml, renderAdmx, renderOmaUri } from '../../../../src/config/render/management/group-policy.ts'
import {
  isIngestibleKey,
  validateEntries,
  validatePolicyKey,
} from '../../../../src/config/render/management/validate-entries.ts'
import { renderRegistry } from '../../../../src/config/render/registry.ts'
import { summarize } from '../../read/read-text.ts'
import { createHealthyMachine, type Machine, misconfigurations } from '../misconfigurations.ts'
import { applyOmaUri } from './apply-oma-uri.ts'
import { applyTemplate, type RegistryValues, renderRegistryExport } from './apply-template.ts'
import { findAll, parseXml } from './parse-xml.ts'
import { validateTemplate } from './validate-template.ts'

const entries = {
  inferenceProvider: 'gateway',
  inferenceGatewayBaseUrl: 'https://gateway.example.com/?a=1&b="<2>"',
  inferenceCredentialKind: 'helper-script',
  inferenceCredentialHelperWindows: 'C:\\Program Files\\Gatepass\\oidc-token.exe',
  inferenceCredentialHelperArgs: '["it’s","😀"]',
  inferenceCredentialHelperTimeoutSec: '300',
}

describe('the template', () => {
  test('follows the schema without a dangling reference', () => {
    expect(validateTemplate(renderAdmx(), renderAdml(entries))).toEqual([])
  })

  test('is refused by the schema where it is broken', () => {
    const admx = renderAdmx()
      .replace('class="Machine"', 'class="Everybody"')
      .replace('<parentCategory ref="', '<parentCategory ref="no')
      .replace('<categories>', '<categories /><categories>')
    const adml = renderAdml(entries).replace('string id="inferenceProvider"', 'string id="inferenceProviders"')
    expect(validateTemplate(admx, adml).length).toBeGreaterThanOrEqual(5)
  })

  test('has one policy for each flat key', () => {
    expect(findAll(parseXml(renderAdmx()), 'policy').map((policy) => policy.getAttribute('name'))).toEqual(
      flatKeys.map((key) => key.replace(/[^\p{L}\p{N}_]/gu, '_')),
    )
  })

  test('gives enabled policies the values of the document', () => {
    const started = listStarted(renderAdml(entries))
    const states = Object.fromEntries(Object.keys(entries).map((name) => [name, { [name]: started[name]! }]))
    expect(applyTemplate(renderAdmx(), states, {})).toEqual(entries)
  })

  test('holds no key, because everybody in a domain can read it', () => {
    expect(renderAdml({ inferenceGatewayApiKey: 'sk-top-secret' })).not.toContain('sk-top-secret')
  })
})

/** Lists the values that the controls of a template show when a policy is enabled, by the policy's name. */
function listStarted(adml: string): Record<string, string> {
  const choices = new Map(
    findAll(parseXml(renderAdmx()), 'enum').map((list) => [
      list.getAttribute('id')!,
      findAll(list, 'string').map((choice) => choice.textContent!),
    ]),
  )
  const controls = findAll(parseXml(adml), 'presentation').map((node) => {
    const name = node.getAttribute('id')!
    const [list] = findAll(node, 'dropdownList')
    const [number] = findAll(node, 'decimalTextBox')
    const [text] = findAll(node, 'defaultValue')
    if (list) return [name, choices.get(name)![Number(list.getAttribute('defaultItem'))]!]
    return [name, number?.getAttribute('defaultValue') ?? text?.textContent ?? '']
  })
  return Object.fromEntries(controls)
}

describe('the settings of device management', () => {
  test('install the template, and read back as the document that they were made of', () => {
    const values = applyOmaUri(renderOmaUri(entries), {})
    expect({ values, document: parseDocument(renderRegistryExport(values)).document }).toEqual({
      values: entries,
      document: parseDocument(renderRegistry(entries)).document,
    })
  })

  test('have addresses that lead to the category of the template', () => {
    const { omaSettings } = JSON.parse(renderOmaUri(entries))
    const [category] = findAll(parseXml(omaSettings[0].value), 'category')
    const [, app] = /ADMXInstall\/([A-Za-z0-9]+)\/Policy\/\w+$/.exec(omaSettings[0].omaUri)!
    expect(omaSettings.slice(1).map(({ omaUri }: { omaUri: string }) => omaUri)).toEqual(
      findAll(parseXml(renderAdmx()), 'policy').map(
        (policy) =>
          `./Device/Vendor/MSFT/Policy/Config/${app}~Policy~${category!.getAttribute('name')}/${policy.getAttribute('name')}`,
      ),
    )
  })

  test.each(['missing', 'differs', 'wrongType', 'notEnforced', 'leftOver'] as const)(
    'repair a machine on which this was planted: %s',
    (mismatch) => {
      const planted = toRegistryValues(misconfigurations[mismatch](createHealthyMachine(entries)))
      expect({ ...planted }).not.toEqual(entries)
      expect(applyOmaUri(renderOmaUri(entries), planted)).toEqual(entries)
    },
  )

  test('leave what other programs keep there', () => {
    expect(applyOmaUri(renderOmaUri(entries), { somebodyElses: 1 })).toEqual({ somebodyElses: 1, ...entries })
  })

  test('say what the template has no policy for, and what does not fit', () => {
    const findings = validateEntries({ ...entries, ourOwn: 'x', inferenceCredentialHelperTtlSec: '9007199254740991' })
    expect(summarize({ findings })).toEqual([
      'warning kept-aside ourOwn',
      'error not-exportable inferenceCredentialHelperTtlSec',
    ])
  })
})

/** Returns the machine hive of a planted machine; on one with a user's values alone it is empty. */
function toRegistryValues({ values, isUserOnly }: Machine): RegistryValues {
  const all = Object.entries(values).map(
    ([name, { text, type }]) => [name, type === 'wrong' ? Number(text) : text] as const,
  )
  return isUserOnly ? {} : Object.fromEntries(all)
}

test.each([
  ['SOFTWARE\\Policies\\Vendor', true],
  ['SOFTWARE\\Policies\\MicrosoftOther', true],
  ['software\\policies\\microsoft', false],
  ['SOFTWARE\\Policies\\Microsoft\\Vendor', false],
  ['SOFTWARE\\Policies\\Microsoft\\Office\\16.0', true],
  ['SOFTWARE\\Microsoft\\Vendor', false],
  ['System\\Vendor', false],
])('device management takes a template for %s: %s', (key, expected) => {
  expect(isIngestibleKey(key)).toBe(expected)
})

test('device management takes a template for the key of this vendor', () => {
  expect(validatePolicyKey()).toEqual([])
})
