import { beforeAll, describe, expect, test } from 'vitest'
import type { Node } from 'web-tree-sitter'
import {
  renderComplianceRules,
  renderDetection,
  renderDiscovery,
  renderItemDiscovery,
  renderRemediation,
} from '../../../../src/config/render/management/windows-detection.ts'
import { quoteInAscii } from '../../../../src/config/render/management/windows-examination.ts'
import { matchLine, mismatches, mismatchPrefix } from '../../../../src/config/render/mismatches.ts'
import { vendor } from '../../../../src/vendor.ts'
import {
  createHealthyMachine,
  type Machine,
  misconfigurations,
  plantedNames,
  plantedSecret,
  renderExpectedLine,
} from '../misconfigurations.ts'
import { playScript } from './interpreter.ts'
import { openScriptParser } from './parse-script.ts'
import { type AccessList, createWindows, type StoredValue, type WindowsMachine } from './windows-stand-in.ts'

const folder = 'C:\\Program Files\\Gatepass'
const helper = `${folder}\\oidc-token.exe`
const entries = {
  inferenceProvider: 'gateway',
  inferenceGatewayBaseUrl: 'https://gateway.example.com',
  inferenceCredentialKind: 'helper-script',
  inferenceCredentialHelperWindows: helper,
  inferenceCredentialHelperArgs: '["it’s","😀","it\'s"]',
  inferenceCredentialHelperTimeoutSec: '300',
}
const names = Object.keys(entries)
const policyKey = `LocalMachine\\${vendor.windowsPolicyKey}`
const userKey = `Users\\S-1-5-21-1-2-3-1001\\${vendor.windowsPolicyKey}`

/** The access list that a folder inherits from Program Files: users may read. Entries that only apply to its children do not count. */
const installed: AccessList = {
  owner: 'S-1-5-32-544',
  rules: [
    { sid: 'S-1-5-18', rights: 0x1f01ff },
    { sid: 'S-1-5-32-544', rights: 0x1f01ff },
    { sid: 'S-1-5-32-545', rights: 0x1200a9 },
    { sid: 'S-1-5-32-545', rights: -1_610_612_736, propagation: 2 },
    { sid: 'S-1-5-11', rights: 0x1301bf, propagation: 2 },
    { sid: 'S-1-3-0', rights: 0x1000_0000, propagation: 2 },
    { sid: 'S-1-15-2-1', rights: 0x1200a9 },
  ],
}

let parse: (script: string) => Node
beforeAll(async () => {
  parse = await openScriptParser()
})

const parsed = new Map<string, Node>()

/** Each script is parsed once: that is what costs time here. */
function play(script: string, machine: WindowsMachine) {
  const program = parsed.get(script) ?? parse(script)
  parsed.set(script, program)
  return playScript(program, createWindows(machine))
}

function toWindows({ values, isUserOnly, hasHelper }: Machine): WindowsMachine {
  const stored = Object.entries(values).map(([name, { text, type }]): [string, StoredValue] => [
    name,
    type === 'wrong' ? { kind: 'DWord', value: Number(text) } : { kind: 'String', value: text },
  ])
  return {
    registry: { [isUserOnly ? userKey : policyKey]: Object.fromEntries(stored), Users: {} },
    files: { [folder]: installed, ...(hasHelper && { [helper]: installed }) },
  }
}

const healthy = () => toWindows(createHealthyMachine(entries))
const planted = Object.keys(misconfigurations) as (keyof typeof misconfigurations)[]
const plant = (mismatch: keyof typeof misconfigurations) =>
  toWindows(misconfigurations[mismatch](createHealthyMachine(entries)))
const subjects = { notEnforced: names.join(', '), helperMissing: helper }

test('the discovery script of a configuration item prints the same lines and ends with 0', () => {
  const script = renderItemDiscovery(entries)
  const found = renderExpectedLine('differs', subjects)
  expect({
    healthy: play(script, healthy()),
    different: play(script, plant('differs')),
    failures: script.match(/exit 1/g),
  }).toEqual({
    healthy: { status: 0, stdout: `${matchLine}\n` },
    different: { status: 0, stdout: `${found}\n` },
    failures: null,
  })
})

describe('the detection script', () => {
  const script = renderDetection(entries)

  test('accepts a machine that is as exported', () => {
    expect(play(script, healthy())).toEqual({ status: 0, stdout: `${matchLine}\n` })
  })

  test.each(planted)('names this misconfiguration and no other: %s', (mismatch) => {
    expect(play(script, plant(mismatch))).toEqual({ status: 1, stdout: `${renderExpectedLine(mismatch, subjects)}\n` })
  })

  test('finds a file of the machine that is missing, and one that users can write', () => {
    const [settings, authority] = ['oidc-token.json', 'authority.pem'].map((name) => `${folder}\\${name}`)
    const withFiles = renderDetection(entries, [settings!, authority!])
    const machine = healthy()
    const writable: AccessList = { ...installed, rules: [{ sid: 'S-1-5-32-545', rights: 0x1301bf }] }
    const playWith = (files: Readonly<Record<string, AccessList>>) =>
      play(withFiles, { ...machine, files: { ...machine.files, ...files } })
    expect(playWith({ [settings!]: installed, [authority!]: installed })).toEqual({
      status: 0,
      stdout: `${matchLine}\n`,
    })
    expect(playWith({ [authority!]: writable })).toEqual({
      status: 1,
      stdout: `${mismatchPrefix}missing: ${settings}; not enforced: ${authority}\n`,
    })
  })

  test('prints one line', () => {
    const machine = toWindows(
      misconfigurations.helperMissing(
        misconfigurations.leftOver(misconfigurations.differs(createHealthyMachine(entries))),
      ),
    )
    expect(play(script, machine).stdout).toBe(
      `${mismatchPrefix}differs: ${plantedNames.differs}; left over: ${plantedNames.leftOver}; helper missing: ${helper}\n`,
    )
  })

  test.each<[string, string, AccessList]>([
    ['the helper, which users can write', helper, { ...installed, rules: [{ sid: 'S-1-5-32-545', rights: 0x1301bf }] }],
    [
      'its folder, in which anybody can create files',
      folder,
      { ...installed, rules: [{ sid: 'S-1-1-0', rights: 0x120_0ab }] },
    ],
    [
      'the machine’s file, which a user owns',
      `${folder}\\oidc-token.json`,
      { ...installed, owner: 'S-1-5-21-1-2-3-1001' },
    ],
    [
      'the vendor file, with a generic right',
      `${folder}\\vendor.json`,
      { ...installed, rules: [{ sid: 'S-1-5-11', rights: 0x4000_0000 }] },
    ],
  ])('finds %s', (_what, path, access) => {
    const machine = healthy()
    machine.files[path] = access
    expect(play(script, machine)).toEqual({ status: 1, stdout: `${mismatchPrefix}not enforced: ${path}\n` })
  })

  test('ignores what a client does not read, and rights that are denied', () => {
    const machine = healthy()
    machine.registry[policyKey]!.somebodyElses = { kind: 'DWord', value: 1 }
    machine.registry[userKey] = { inferenceProvider: { kind: 'String', value: 'other' } }
    machine.files[helper] = { ...installed, rules: [{ sid: 'S-1-5-32-545', rights: 0x1301bf, type: 'Deny' }] }
    expect(play(script, machine)).toEqual({ status: 0, stdout: `${matchLine}\n` })
  })

  test('compares values with their case, and names without', () => {
    const machine = healthy()
    const { inferenceProvider: _, ...others } = machine.registry[policyKey]!
    machine.registry[policyKey] = { ...others, INFERENCEPROVIDER: { kind: 'String', value: 'Gateway' } }
    expect(play(script, machine).stdout).toBe(`${mismatchPrefix}differs: inferenceProvider\n`)
  })

  test('prints no more than device management keeps of a line', () => {
    const many = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`ourOwnSetting${index}`, 'x']))
    expect(play(renderDetection(many), healthy()).stdout.length).toBe(2049)
  })

  test('says why it could not look, which counts as a misconfiguration', () => {
    const broken = { ...healthy(), files: { [helper]: installed, [folder]: 'locked' as const } }
    expect(play(script, broken)).toEqual({ status: 1, stdout: 'not examined: Access is denied.\n' })
  })

  test('requires no helper if the document names none', () => {
    const own = { inferenceProvider: 'gateway', inferenceGatewayApiKey: 'sk-top-secret' }
    const machine = toWindows({ ...createHealthyMachine(own), hasHelper: false })
    expect(play(renderDetection(own), machine)).toEqual({ status: 0, stdout: `${matchLine}\n` })
  })
})

describe('the remediation script', () => {
  const script = renderRemediation(entries)

  test.each(planted.filter((mismatch) => mismatch !== 'helperMissing'))('repairs a machine: %s', (mismatch) => {
    const machine = plant(mismatch)
    expect(play(script, machine)).toEqual({ status: 0, stdout: `${matchLine}\n` })
    expect(machine.registry[policyKey]).toEqual(healthy().registry[policyKey])
  })

  test('says that it cannot install a helper', () => {
    expect(play(script, plant('helperMissing'))).toEqual({
      status: 1,
      stdout: `${mismatchPrefix}${mismatches.helperMissing}: ${helper}\n`,
    })
  })

  test('leaves the values of other programs', () => {
    const machine = healthy()
    machine.registry[policyKey]!.somebodyElses = { kind: 'DWord', value: 1 }
    play(script, machine)
    expect(machine.registry[policyKey]!.somebodyElses).toEqual({ kind: 'DWord', value: 1 })
  })
})

describe('the discovery script and its rules', () => {
  const script = renderDiscovery(entries)
  const rules: { SettingName: string; Operand: string }[] = JSON.parse(
    renderComplianceRules('https://help.example.com/ai'),
  ).Rules
  /** Finds the result that device management makes of the answer: the settings that do not follow their rule. */
  const findNoncompliant = (machine: WindowsMachine) => {
    const { status, stdout } = play(script, machine)
    const found = JSON.parse(stdout)
    expect({ status, lines: stdout.split('\n').length, settings: Object.keys(found) }).toEqual({
      status: 0,
      lines: 2,
      settings: rules.map(({ SettingName }) => SettingName),
    })
    return rules
      .filter(({ SettingName, Operand }) => found[SettingName] !== Operand)
      .map(({ SettingName }) => [SettingName, found[SettingName]])
  }

  test('find a machine compliant', () => {
    expect(findNoncompliant(healthy())).toEqual([])
  })

  test.each(planted)('name this misconfiguration and no other: %s', (mismatch) => {
    const setting = `Gatepass${mismatch[0]!.toUpperCase()}${mismatch.slice(1)}`
    const { notEnforced, helperMissing } = subjects
    expect(findNoncompliant(plant(mismatch))).toEqual([
      [setting, { ...plantedNames, notEnforced, helperMissing }[mismatch]],
    ])
  })

  test('are not compliant if nothing can be read', () => {
    const broken = { ...healthy(), files: { [helper]: installed, [folder]: 'locked' as const } }
    expect(findNoncompliant(broken).map(([, value]) => value)).toEqual(rules.map(() => 'not examined'))
  })

  test('have every field that device management requires', () => {
    expect(JSON.parse(renderComplianceRules('https://help.example.com/ai')).Rules[0]).toEqual({
      SettingName: 'GatepassMissing',
      Operator: 'IsEquals',
      DataType: 'String',
      Operand: 'none',
      MoreInfoUrl: 'https://help.example.com/ai',
      RemediationStrings: [
        {
          Language: 'en_US',
          Title: 'Settings are missing: {ActualValue}',
          Description:
            'The settings of this device are not those of your organization. Your help desk can restore them.',
        },
      ],
    })
  })
})

test.each([renderDetection, renderRemediation, renderDiscovery])('%o is ASCII', (render) => {
  expect(render(entries).match(/[^\x20-\x7e\r\n]/g)).toBeNull()
})

test('only the script that sets values contains them', () => {
  const own = { ...entries, inferenceGatewayApiKey: plantedSecret }
  expect(
    [renderDetection, renderDiscovery, renderRemediation].map((render) => render(own).includes(plantedSecret)),
  ).toEqual([false, false, true])
})

test.each([
  ['plain', "'plain'"],
  ["it's", "'it''s'"],
  ['it’s', "('it' + [char]0x2019 + 's')"],
  ['’', "('' + [char]0x2019)"],
  ['😀', "('' + [char]0xd83d + [char]0xde00)"],
  ['', "''"],
])('quotes %s', (text, expected) => {
  expect(quoteInAscii(text)).toBe(expected)
  expect(play(`Write-Output ${expected}`, healthy()).stdout).toBe(text === '' ? '\n' : `${text}\n`)
})
