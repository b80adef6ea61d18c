import { access, copyFile, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../pkg-scripts/bundle/bundle.ts'
import { createSuiteProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { renderFile } from '../../../pkg-scripts/bundle/render-file.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { buildWindowsExecutable } from './build-windows.ts'
import type { ClientResult } from './client-program.ts'
import { runClient } from './run-client.ts'
import { startWindowsMachine, type WindowsMachine } from './windows-machine.ts'

let machine: WindowsMachine
const pathIn = (...names: string[]) => join(machine.directory, ...names)

beforeAll(async () => {
  machine = await startWindowsMachine()
  // One executable holds both programs of the tests and selects one by its name.
  const here = './test/executables/windows'
  await buildProgram('client', `export { start } from '${here}/test-program.ts'`)
  await link(pathIn('client.exe'), pathIn('echo.exe'))
  await buildProgram('gatepass-helpers', createSuiteProgram().entry)
  for (const name of ['aws-bedrock-token', 'command-token', 'workload-token'])
    await link(pathIn('gatepass-helpers.exe'), pathIn(`${name}.exe`))
  await writeFile(pathIn('echo.cmd'), '@"%~dp0echo.exe" %*\r\n')
})

afterAll(() => machine.close())

async function buildProgram(name: string, entry: string): Promise<void> {
  const { packed } = await bundle({ name, entry, isWaitedFor: false })
  await buildWindowsExecutable(await renderFile(packed, false), pathIn(`${name}.exe`))
}

/** Runs one helper from the client's stand-in. */
async function runOne(
  credential: Omit<HelperScriptCredential, 'kind'>,
  env: Readonly<Record<string, string>> = {},
  ownEnv: Readonly<Record<string, string>> = {},
): Promise<ClientResult> {
  const [result] = await runClient(machine, ['client.exe'], [{ credential, env }], ownEnv)
  return result!
}

/** What `workload-token` needs besides the source of its identity. */
const identityArguments = [
  ...['--identity=command', '--base-url=https://api.example.com'],
  ...['--organization=org-1', '--federation-rule=rule-1'],
]

/** How a client sees a run, but how long it took. */
const withoutTime = ({ durationMs: _, ...run }: ClientResult['run']) => run
const wellAs = (shape: string) => ({
  ok: true,
  shape,
  credential: { headers: {}, token: '[secret]' },
  survivors: 'none',
  stderr: '',
  warnings: [],
})

const readSeen = (token = '') => JSON.parse(Buffer.from(token, 'base64url').toString())

/** Every character of ASCII that a document allows, alone and between others. */
const legal = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).filter((c) => !'"%'.includes(c))
const awkward = [
  ...legal.flatMap((character) => [character, `a${character}b`]),
  ...['', 'two words', '^^', '!PATH!', '$HOME', 'a)&(b', '--x=y z', 'ü', '€', '日本', '\u007f'],
  ...['C:\\dir\\', 'two words\\', '\\\\', '\\\\server\\share\\'],
]

describe.each(['echo.exe', 'echo.cmd'])('a helper %s', (file) => {
  test('receives every legal argument unchanged', async () => {
    const { run, token } = await runOne({ commandWindows: machine.pathOf(file), args: awkward })
    expect({ run: withoutTime(run), argv: readSeen(token).argv }).toEqual({ run: wellAs('bare token'), argv: awkward })
  })

  test('sees the context and the profile of the user', async () => {
    const { token } = await runOne(
      { commandWindows: machine.pathOf(file) },
      { USERPROFILE: 'W:\\home', LOCALAPPDATA: 'W:\\local' },
    )
    expect(readSeen(token)).toEqual({ argv: [], home: 'W:\\home', local: 'W:\\local', context: 'background' })
  })
})

test('a helper helper.ps1 is given to PowerShell, with every argument unchanged', async () => {
  // Wine has no PowerShell, so the echo program stands in for it and prints its arguments.
  await mkdir(pathIn('shell'), { recursive: true })
  await link(pathIn('echo.exe'), pathIn('shell', 'powershell.exe'))
  const { token } = await runOne(
    { commandWindows: machine.pathOf('helper.ps1'), args: awkward },
    { PATH: machine.pathOf('shell') },
    { PATH: machine.pathOf('shell') },
  )
  const flags = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File']
  expect(readSeen(token).argv).toEqual([...flags, machine.pathOf('helper.ps1'), ...awkward])
})

describe('a helper that takes too long', () => {
  const late = () => ({
    commandWindows: machine.pathOf('echo.exe'),
    args: ['--hang', machine.pathOf('alive')],
    timeoutSec: 3,
  })
  const timeout = {
    ok: false,
    reason: 'timeout',
    survivors: 'none',
    message: 'the helper did not end within 3 s and was killed',
    stderr: '',
  }

  test('is ended', async () => {
    expect(withoutTime((await runOne(late())).run)).toEqual(timeout)
    const { size } = await stat(pathIn('alive'))
    expect(size).toBeGreaterThan(0)
    await sleep(500) // in which a helper that lives would write again
    expect((await stat(pathIn('alive'))).size).toBe(size)
  })

  test('is ended with all that it started, by the system’s own tool', async () => {
    // Wine 8 does not support `taskkill /T`. A stand-in records its arguments and fails, after which only the helper is ended.
    const system = pathIn('System32')
    await mkdir(system, { recursive: true })
    await copyFile(pathIn('echo.exe'), join(system, 'taskkill.exe'))
    await rm(join(system, 'asked.txt'), { force: true })
    const { run } = await runOne(late(), {}, { SystemRoot: machine.pathOf('').slice(0, -1) })
    expect(withoutTime(run)).toEqual(timeout)
    expect(await readFile(join(system, 'asked.txt'), 'utf8')).toBe('/T /F')
  })
})

test('the helper of the suite prints a token, and keeps it under the user’s local data', async () => {
  const local = `local-${Date.now()}`
  const env = {
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    USERPROFILE: machine.pathOf('home'),
    LOCALAPPDATA: machine.pathOf(local),
  }
  const credential = { commandWindows: machine.pathOf('aws-bedrock-token.exe') }
  const first = await runOne(credential, env)
  expect(toStableValue({ ...first, run: withoutTime(first.run) })).toEqual({
    run: wellAs('JSON object'),
    token: 'BEDROCK-KEY',
  })
  await access(pathIn(local, 'Gatepass', 'Cache'))
  const second = await runOne(credential, env)
  expect({ ...second, run: withoutTime(second.run) }).toEqual({ run: wellAs('JSON object'), token: first.token })
})

test.each(['echo.exe', 'echo.cmd', 'a name'])(
  'a program that prints a token, %s, receives every argument unchanged',
  async (file) => {
    // As a name it is found by the endings of PATHEXT, and `.CMD` is the only one here.
    const program = file === 'a name' ? 'echo' : machine.pathOf(file)
    const words = [program, ...awkward].map((word) => `--command=${word}`)
    const folder = machine.pathOf('').slice(0, -1)
    const { run, token } = await runOne(
      { commandWindows: machine.pathOf('command-token.exe'), args: [...words, '--path', folder] },
      { PATHEXT: '.CMD', USERPROFILE: machine.pathOf('home'), LOCALAPPDATA: machine.pathOf('local') },
    )
    expect({ run: withoutTime(run), argv: readSeen(token).argv }).toEqual({ run: wellAs('JSON object'), argv: awkward })
  },
)

test.each([
  ['command-token.exe', 'command', 'none.cmd'],
  ['command-token.exe', 'command', 'none.exe'],
  ['workload-token.exe', 'identity-command', 'none.cmd'],
])('%s reports a missing %s, %s, before cmd.exe is started', async (helper, option, file) => {
  const args = [`--${option}=${machine.pathOf(file)}`, ...(option === 'command' ? [] : identityArguments)]
  const { run } = await runOne(
    { commandWindows: machine.pathOf(helper), args },
    { USERPROFILE: machine.pathOf('home'), LOCALAPPDATA: machine.pathOf('local') },
  )
  const program = helper.replace('.exe', '')
  expect(withoutTime(run)).toEqual({
    ok: false,
    reason: 'exit-status',
    status: 3,
    survivors: 'none',
    message: 'the helper failed with exit status 3',
    stderr: `${program}: ${machine.pathOf(file)} does not exist\n${program}: hint: correct the path; if the text holds arguments as well, give the program and each of them as a word of its own, because no shell splits it\n`,
  })
})

test('helpers print neither a byte order mark nor carriage returns', async () => {
  const files = { stdout: 'out.txt', stderr: 'err.txt' }
  const outcomeOf = async (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const status = await machine.run(program, args, { ...files, env })
    const [stdout, stderr] = await Promise.all(
      [files.stdout, files.stderr].map((name) => readFile(pathIn(name), 'latin1')),
    )
    return { status, stdout, stderr }
  }
  const { stdout: help, ...rest } = await outcomeOf('gatepass-helpers.exe', ['--help'])
  expect({ ...rest, unprintable: help?.match(/[^\x20-\x7e\n]/g) }).toEqual({ status: 0, stderr: '', unprintable: null })
  const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' }
  expect(toStableValue(await outcomeOf('aws-bedrock-token.exe', ['--cache', 'none'], env))).toEqual(
    prints('{"token":"BEDROCK-KEY"}\n'),
  )
  // The hint names the program by its path, which has a letter that is not ASCII here.
  expect(await outcomeOf('aws-bedrock-token.exe', ['--lifetime', '1'])).toEqual({
    status: 2,
    stdout: '',
    stderr: `aws-bedrock-token: --lifetime: expected at least 60 seconds\naws-bedrock-token: hint: see: "${Buffer.from(machine.pathOf('aws-bedrock-token.exe')).toString('latin1')}" --help\n`,
  })
})
