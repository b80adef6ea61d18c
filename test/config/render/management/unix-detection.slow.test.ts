import { execFileSync, spawnSync } from 'node:child_process'
import { chmod, chown, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { build } from 'plist'
import { describe, expect, test } from 'vitest'
import {
  renderExtensionAttribute,
  renderLinuxDetection,
  renderMacosDetection,
  toManagedFile,
  toPreferences,
} from '../../../../src/config/render/management/unix-detection.ts'
import { type Mismatch, matchLine } from '../../../../src/config/render/mismatches.ts'
import { nobody } from '../../../setup/unprivileged.ts'
import {
  createHealthyMachine,
  type Machine,
  misconfigurations,
  plantedSecret,
  renderExpectedLine,
} from '../misconfigurations.ts'
import { createDocument } from './documents.ts'
import { createStage, installFile, runScript, type Stage, settingsPaths } from './machine-stage.ts'

const planted = Object.entries(misconfigurations) as [Mismatch, (healthy: Machine) => Machine][] // the keys of that object

/** Returns the document of a stage, whose helper it names. */
const documentOf = ({ helper }: Stage) => createDocument(helper)

/** Returns the values of the table, each as the platform has it, or in a type that no export writes. */
function toValues({ values }: Machine, { entries }: { entries: Readonly<Record<string, unknown>> }, wrong: unknown) {
  const native = Object.entries(values).map(([name, { text, type }]) => {
    const own = entries[name]
    const exported = typeof own === 'string' || own === undefined ? text : own
    return [name, type === 'wrong' ? wrong : exported] as const
  })
  return Object.fromEntries(native)
}

const toMachine = (entries: Readonly<Record<string, unknown>>) =>
  createHealthyMachine(Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, String(value)])))

/** Makes a stage the machine of the table. */
async function stageLinux(plant: (machine: Machine) => Machine) {
  const stage = await createStage()
  const exported = toManagedFile(documentOf(stage))!
  const machine = plant(toMachine(exported.entries))
  const file = stage.toPath(settingsPaths.managedFile)
  const content = JSON.stringify(toValues(machine, exported, '300'), undefined, 1)
  await installFile(file, content, { mode: machine.isUserOnly ? 0o664 : 0o644 })
  if (!machine.hasHelper) await rm(stage.helper)
  return { stage, exported, file }
}

async function stageMac(plant: (machine: Machine) => Machine) {
  const stage = await createStage()
  const exported = toPreferences(documentOf(stage))!
  const machine = plant(toMachine(exported.entries))
  const file = stage.toPath(settingsPaths[machine.isUserOnly ? 'userPreferences' : 'managedPreferences'])
  await installFile(file, build(toValues(machine, exported, 300) as Record<string, string>))
  execFileSync('plistutil', ['-i', file, '-f', 'bin', '-o', `${file}.bin`])
  await rename(`${file}.bin`, file)
  if (!machine.hasHelper) await rm(stage.helper)
  return { stage, exported }
}

const toLiteral = (text: string) => JSON.stringify(text).slice(1, -1)
const escapeUnit = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
const escapeInCapitals = (unit: string) => escapeUnit(unit).toUpperCase().replace('U', 'u')

/** How programs that manage machines spell a text in JSON. */
const spellings: [by: string, spell: (text: string) => string][] = [
  ['an export', toLiteral],
  ['Python', (text) => toLiteral(text).replaceAll(/[^ -~]/g, escapeUnit)],
  ['.NET', (text) => toLiteral(text).replaceAll(/\\"|[^ -~]|[<>&'+]/g, (found) => escapeInCapitals(found.at(-1)!))],
  ['PHP', (text) => toLiteral(text).replaceAll('/', '\\/')],
  ['a program that escapes every character', (text) => text.replaceAll(/./gs, escapeUnit)],
]

describe('the detection script of Linux', () => {
  test('finds nothing on a machine that is as exported, however its file is spaced', async () => {
    const { stage, exported, file } = await stageLinux((machine) => machine)
    for (const text of [
      exported.text,
      JSON.stringify(exported.entries),
      JSON.stringify(exported.entries, undefined, '\t'),
    ]) {
      await writeFile(file, text)
      const outcome = await runScript(stage, renderLinuxDetection(exported))
      expect(outcome).toEqual({ status: 0, stdout: `${matchLine}\n`, stderr: '' })
    }
  })

  test.each(spellings)('takes a value in the spelling of %s for the same one', async (_, spell) => {
    const stage = await createStage()
    const toFile = (argument: string) => {
      const credential = { kind: 'helper-script', command: stage.helper, args: [argument] }
      return toManagedFile(createDocument(stage.helper, { credential, customHeaders: { 'x-team': `a "b" <c> 'd'` } }))!
    }
    const argument = 'é € 😀 \\ / \u007f'
    const exported = toFile(argument)
    const compare = async (text: string) => {
      const spelled = text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (literal) => `"${spell(JSON.parse(literal))}"`)
      await installFile(stage.toPath(settingsPaths.managedFile), spelled)
      return runScript(stage, renderLinuxDetection(exported))
    }
    expect([await compare(exported.text), await compare(toFile(argument.replace('é', 'è')).text)]).toEqual([
      { status: 0, stdout: `${matchLine}\n`, stderr: '' },
      { status: 1, stdout: 'not as exported: differs: inferenceCredentialHelperArgs\n', stderr: '' },
    ])
  })

  test.each(planted)('names this misconfiguration and no other: %s', async (mismatch, plant) => {
    const { stage, exported, file } = await stageLinux(plant)
    const line = renderExpectedLine(mismatch, { notEnforced: file, helperMissing: stage.helper })
    const outcome = await runScript(stage, renderLinuxDetection(exported))
    expect(outcome).toEqual({ status: 1, stdout: `${line}\n`, stderr: '' })
  })

  test('names all misconfigurations in one line without a value', async () => {
    const { stage, exported, file } = await stageLinux((machine) =>
      [misconfigurations.differs, misconfigurations.leftOver, misconfigurations.helperMissing].reduce(
        (result, plant) => plant(result),
        machine,
      ),
    )
    await rename(file, `${file}.there`)
    await symlink(`${file}.there`, file)
    const { stdout } = await runScript(stage, renderLinuxDetection(exported))
    expect(stdout).toBe(
      `not as exported: differs: inferenceGatewayBaseUrl; not enforced: ${file}; left over: inferenceGatewayApiKey; helper missing: ${stage.helper}\n`,
    )
    expect(stdout).not.toContain(plantedSecret)
  })

  test('reports a file of the machine that is missing, and one that others can write', async () => {
    const { stage, exported } = await stageLinux((machine) => machine)
    const [settings, authority] = ['oidc-token.json', 'the authority.pem'].map((name) => stage.toPath(name))
    const script = renderLinuxDetection({ ...exported, machineFiles: [settings!, authority!] })
    await installFile(settings!, '{}')
    await installFile(authority!, '', { mode: 0o666 })
    expect(await runScript(stage, script)).toEqual({
      status: 1,
      stdout: `not as exported: not enforced: ${authority}\n`,
      stderr: '',
    })
    await installFile(authority!, '')
    expect(await runScript(stage, script)).toEqual({ status: 0, stdout: `${matchLine}\n`, stderr: '' })
    await rename(settings!, `${settings}.there`)
    expect((await runScript(stage, script)).stdout).toBe(`not as exported: missing: ${settings}\n`)
  })

  test('reports a helper that others can replace, and a file without a single value', async () => {
    const { stage, exported, file } = await stageLinux((machine) => machine)
    await chmod(stage.helper, 0o757)
    expect((await runScript(stage, renderLinuxDetection(exported))).stdout).toBe(
      `not as exported: not enforced: ${stage.helper}\n`,
    )
    await installFile(stage.helper, '#!/bin/sh\n', { mode: 0o755, owner: nobody })
    expect((await runScript(stage, renderLinuxDetection(exported))).stdout).toBe(
      `not as exported: not enforced: ${stage.helper}\n`,
    )
    await installFile(stage.helper, '#!/bin/sh\n', { mode: 0o755 })
    const all = Object.keys(exported.entries).join(', ')
    for (const broken of ['', 'no JSON', '{"inferenceProvider"', '[]']) {
      await writeFile(file, broken)
      expect((await runScript(stage, renderLinuxDetection(exported))).stdout).toBe(`not as exported: missing: ${all}\n`)
    }
    await rm(file)
    expect((await runScript(stage, renderLinuxDetection(exported))).stdout).toBe(`not as exported: missing: ${all}\n`)
  })
})

test('a folder in which others can replace the managed file, or the helper, is reported', async () => {
  const { stage, exported, file } = await stageLinux((machine) => machine)
  await chmod(dirname(file), 0o777)
  await chown(stage.root, nobody, nobody)
  expect(await runScript(stage, renderLinuxDetection(exported))).toEqual({
    status: 1,
    stdout: `not as exported: not enforced: ${dirname(file)}, ${stage.root}\n`,
    stderr: '',
  })
})

describe('the detection scripts of macOS', () => {
  const scripts = [renderMacosDetection, renderExtensionAttribute] as const

  test('find nothing on a Mac that is as exported', async () => {
    const { stage, exported } = await stageMac((machine) => machine)
    expect(await Promise.all(scripts.map((render) => runScript(stage, render(exported))))).toEqual([
      { status: 0, stdout: `${matchLine}\n`, stderr: '' },
      { status: 0, stdout: `<result>${matchLine}</result>\n`, stderr: '' },
    ])
  })

  test.each(planted)('name this misconfiguration and no other: %s', async (mismatch, plant) => {
    const { stage, exported } = await stageMac(plant)
    const notEnforced = Object.keys(exported.entries).join(', ')
    const line = renderExpectedLine(mismatch, { notEnforced, helperMissing: stage.helper })
    expect(await Promise.all(scripts.map((render) => runScript(stage, render(exported))))).toEqual([
      { status: 1, stdout: `${line}\n`, stderr: '' },
      { status: 0, stdout: `<result>${line}</result>\n`, stderr: '' },
    ])
  })
})

describe('a document with a key', () => {
  test('gives scripts that compare the type of the key without holding it', async () => {
    const stage = await createStage()
    const result = createDocument(stage.helper, { credential: { kind: 'static', apiKey: 'sk-secret' } })
    const [file, preferences] = [toManagedFile(result)!, toPreferences(result)!]
    const script = renderLinuxDetection(file)
    expect([script, renderMacosDetection(preferences), renderExtensionAttribute(preferences)].join('')).not.toContain(
      'sk-secret',
    )
    const path = stage.toPath(settingsPaths.managedFile)
    await installFile(path, file.text)
    expect((await runScript(stage, script)).stdout).toBe(`${matchLine}\n`)
    await installFile(path, file.text.replace('"sk-secret"', '7'))
    expect((await runScript(stage, script)).stdout).toBe('not as exported: wrong type: inferenceGatewayApiKey\n')
  })
})

test('shellcheck finds nothing in any script', () => {
  const result = createDocument("/opt/it's/helper")
  const scripts = [
    renderLinuxDetection(toManagedFile(result)!),
    renderMacosDetection(toPreferences(result)!),
    renderExtensionAttribute(toPreferences(result)!),
  ]
  for (const script of scripts)
    expect(spawnSync('shellcheck', ['-'], { input: script, encoding: 'utf8' }).stdout).toBe('')
})
