import { access, copyFile, link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../pkg-scripts/bundle/bundle.ts'
import { suiteProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { renderFile } from '../../../pkg-scripts/bundle/render-file.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { buildWindowsExecutable } from './build-windows.ts'
import type { ClientResult } from './client-program.ts'
import { runClient } from './run-client.ts'
import { startWindowsDesk, type WindowsDesk } from './windows-desk.ts'

let desk: WindowsDesk
const inDesk = (...names: string[]) => join(desk.directory, ...names)

beforeAll(async () => {
  desk = await startWindowsDesk()
  // Both of the tests' own programs are in one, which knows by its name which it is.
  const here = './test/executables/windows'
  await buildProgram('client', `export { start } from '${here}/test-program.ts'`)
  await link(inDesk('client.exe'), inDesk('echo.exe'))
  await buildProgram('gatepass-helpers', suiteProgram().entry)
  await link(inDesk('gatepass-helpers.exe'), inDesk('aws-bedrock-token.exe'))
  await writeFile(inDesk('echo.cmd'), '@"%~dp0echo.exe" %*\r\n')
})

afterAll(() => desk.close())

async function buildProgram(name: string, entry: string): Promise<void> {
  const { packed } = await bundle({ name, entry })
  await buildWindowsExecutable(await renderFile(packed, false), inDesk(`${name}.exe`))
}

/** Runs one helper from the client's stand-in. */
async function runOne(
  credential: Omit<HelperScriptCredential, 'kind'>,
  env: Readonly<Record<string, string>> = {},
  ownEnv: Readonly<Record<string, string>> = {},
): Promise<ClientResult> {
  const [result] = await runClient(desk, ['client.exe'], [{ credential, env }], ownEnv)
  return result!
}

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
    const { run, token } = await runOne({ commandWindows: desk.pathOf(file), args: awkward })
    expect(run).toMatchObject({ ok: true })
    expect(readSeen(token).argv).toEqual(awkward)
  })

  test('sees the context, and a profile that is the user’s', async () => {
    const { token } = await runOne(
      { commandWindows: desk.pathOf(file) },
      { USERPROFILE: 'W:\\home', LOCALAPPDATA: 'W:\\local' },
    )
    expect(readSeen(token)).toEqual({ argv: [], home: 'W:\\home', local: 'W:\\local', context: 'background' })
  })
})

test('a helper helper.ps1 is given to PowerShell, with every argument unchanged', async () => {
  // Wine has no PowerShell: what echoes stands in for it, and shows what it was started with.
  await mkdir(inDesk('shell'), { recursive: true })
  await link(inDesk('echo.exe'), inDesk('shell', 'powershell.exe'))
  const { token } = await runOne(
    { commandWindows: desk.pathOf('helper.ps1'), args: awkward },
    { PATH: desk.pathOf('shell') },
    { PATH: desk.pathOf('shell') },
  )
  const flags = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-File']
  expect(readSeen(token).argv).toEqual([...flags, desk.pathOf('helper.ps1'), ...awkward])
})

describe('a helper that takes too long', () => {
  const late = () => ({
    commandWindows: desk.pathOf('echo.exe'),
    args: ['--hang', desk.pathOf('alive')],
    timeoutSec: 3,
  })
  const timeout = { run: { ok: false, reason: 'timeout', survivors: 'none' } }

  test('is ended', async () => {
    expect(await runOne(late())).toMatchObject(timeout)
    const { size } = await stat(inDesk('alive'))
    expect(size).toBeGreaterThan(0)
    await sleep(500)
    expect((await stat(inDesk('alive'))).size).toBe(size)
  })

  test('is ended with all that it started, by the system’s own tool', async () => {
    // Wine 8 knows no `taskkill /T`: a stand-in notes what it is asked for, and fails, after which the helper alone is ended.
    const system = inDesk('System32')
    await mkdir(system, { recursive: true })
    await copyFile(inDesk('echo.exe'), join(system, 'taskkill.exe'))
    await rm(join(system, 'asked.txt'), { force: true })
    expect(await runOne(late(), {}, { SystemRoot: desk.pathOf('').slice(0, -1) })).toMatchObject(timeout)
    expect(await readFile(join(system, 'asked.txt'), 'utf8')).toBe('/T /F')
  })
})

test('the suite’s own helper prints a token, and keeps it under the user’s local data', async () => {
  const local = `local-${Date.now()}`
  const env = {
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    USERPROFILE: desk.pathOf('home'),
    LOCALAPPDATA: desk.pathOf(local),
  }
  const credential = { commandWindows: desk.pathOf('aws-bedrock-token.exe') }
  const first = await runOne(credential, env)
  expect(first).toMatchObject({
    run: { ok: true, stderr: '', warnings: [] },
    token: expect.stringMatching(/^bedrock-api-key-[\w=]+$/),
  })
  await access(inDesk(local, 'Gatepass', 'Cache'))
  expect(await runOne(credential, env)).toMatchObject({ token: first.token })
})

test('what helpers print has neither a byte order mark nor carriage returns', async () => {
  const files = { stdout: 'out.txt', stderr: 'err.txt' }
  const outcomeOf = async (program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const status = await desk.run(program, args, { ...files, env })
    const [stdout, stderr] = await Promise.all(
      [files.stdout, files.stderr].map((name) => readFile(inDesk(name), 'latin1')),
    )
    return { status, stdout, stderr }
  }
  const printable = /^[\x20-\x7e\n]+\n$/
  expect(await outcomeOf('gatepass-helpers.exe', ['--help'])).toEqual({
    status: 0,
    stdout: expect.stringMatching(printable),
    stderr: '',
  })
  const env = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-central-1' }
  expect(await outcomeOf('aws-bedrock-token.exe', ['--cache', 'none'], env)).toEqual({
    status: 0,
    stdout: expect.stringMatching(/^\{"token":"bedrock-api-key-[\w=]+"\}\n?$/),
    stderr: '',
  })
  expect(await outcomeOf('aws-bedrock-token.exe', ['--lifetime', '1'])).toEqual({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(printable),
  })
})
