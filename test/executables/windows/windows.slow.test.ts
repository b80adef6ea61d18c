import { access, copyFile, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from '../../../pkg-scripts/bundle.ts'
import { root } from '../../../pkg-scripts/helpers.ts'
import { suiteProgram } from '../../../pkg-scripts/programs.ts'
import { renderFile } from '../../../pkg-scripts/render-file.ts'
import type { HelperScriptCredential } from '../../../src/config/document.ts'
import { buildWindowsExecutable } from './build-windows.ts'
import type { ClientJob, ClientResult } from './client-program.ts'

/** With a space and a letter beyond ASCII, as `C:\Program Files` and many a user's name have them. */
const drive = join(root, 'dist', 'test', 'windows', 'drive')
const directory = join(drive, 'Program Files (x86)', 'Zoë & Söhne')
const windowsPath = (name: string) => `W:\\Program Files (x86)\\Zoë & Söhne\\${name}`
const wineEnv = { ...process.env, WINEPREFIX: join(root, 'dist', 'test', 'windows', 'wine'), WINEDEBUG: '-all' }

beforeAll(async () => {
  await mkdir(directory, { recursive: true })
  await mkdir(wineEnv.WINEPREFIX, { recursive: true })
  await execa('winecfg', ['-v', 'win10'], { env: wineEnv, stdin: 'ignore' })
  await execa('ln', ['-sfn', drive, join(wineEnv.WINEPREFIX, 'dosdevices', 'w:')])
  const here = './test/executables/windows'
  await buildProgram('client', `export { start } from '${here}/client-program.ts'`)
  await buildProgram('echo', `export { start } from '${here}/echo-program.ts'`)
  await buildProgram('gatepass-helpers', suiteProgram().entry)
  await copyFile(join(directory, 'gatepass-helpers.exe'), join(directory, 'aws-bedrock-token.exe'))
  await writeFile(join(directory, 'echo.cmd'), '@"%~dp0echo.exe" %*\r\n')
})

/** Wine's own processes stay for a while; they end with their directory. */
afterAll(() => execa('wineserver', ['--kill'], { env: wineEnv, reject: false }))

async function buildProgram(name: string, entry: string): Promise<void> {
  const { packed } = await bundle({ name, entry })
  await buildWindowsExecutable(await renderFile(packed, false), join(directory, `${name}.exe`))
}

/** Runs the client's stand-in as a Windows program, which runs a helper. */
async function runClient(
  credential: Omit<HelperScriptCredential, 'kind'>,
  env: Readonly<Record<string, string>> = {},
  ownEnv: Readonly<Record<string, string>> = {},
): Promise<ClientResult> {
  const job: ClientJob = { credential: { kind: 'helper-script', timeoutSec: 30, ...credential }, env, ownEnv }
  await writeFile(join(directory, 'job.json'), JSON.stringify(job))
  const files = [windowsPath('job.json'), windowsPath('result.json')]
  // Wine's programs cannot write to a pipe of this side.
  await execa('wine', [join(directory, 'client.exe'), ...files], {
    env: wineEnv,
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'ignore',
  })
  return JSON.parse(await readFile(join(directory, 'result.json'), 'utf8'))
}

const readSeen = (token = '') => JSON.parse(Buffer.from(token, 'base64url').toString())

const awkward = [
  'plain',
  'two words',
  '',
  '&',
  'a&b',
  '|',
  '<in',
  'out>',
  '^',
  '^^',
  '!',
  '!PATH!',
  "'",
  "it's",
  ';',
  ',',
  '`',
  '$',
  '$HOME',
  'ü',
  'C:\\dir\\',
  'two words\\',
  '\\',
  '\\\\',
  '(',
  ')',
  'a)&(b',
  '*',
  '?',
  '=',
  '--x=y z',
  '@',
  '#',
  '~',
  '{}',
  '[a]',
  '+',
  '-',
]

describe.each(['echo.exe', 'echo.cmd'])('a helper %s', (file) => {
  test('receives every legal argument unchanged', async () => {
    const { run, token } = await runClient({ commandWindows: windowsPath(file), args: awkward })
    expect(run).toMatchObject({ ok: true })
    expect(readSeen(token).argv).toEqual(awkward)
  })

  test('sees the context, and a profile that is the user’s', async () => {
    const { token } = await runClient(
      { commandWindows: windowsPath(file) },
      { USERPROFILE: 'W:\\home', LOCALAPPDATA: 'W:\\local' },
    )
    expect(readSeen(token)).toEqual({ argv: [], home: 'W:\\home', local: 'W:\\local', context: 'background' })
  })
})

describe('a helper that takes too long', () => {
  const late = { commandWindows: windowsPath('echo.exe'), args: ['--hang', windowsPath('alive')], timeoutSec: 3 }
  const timeout = { run: { ok: false, reason: 'timeout', survivors: 'none' } }

  test('is ended', async () => {
    expect(await runClient(late)).toMatchObject(timeout)
    const { size } = await stat(join(directory, 'alive'))
    expect(size).toBeGreaterThan(0)
    await sleep(500)
    expect((await stat(join(directory, 'alive'))).size).toBe(size)
  })

  test('is ended with all that it started, by the system’s own tool', async () => {
    // Wine 8 knows no `taskkill /T`: a stand-in notes what it is asked for, and fails, after which the helper alone is ended.
    const system = join(directory, 'System32')
    await mkdir(system, { recursive: true })
    await copyFile(join(directory, 'echo.exe'), join(system, 'taskkill.exe'))
    await rm(join(system, 'asked.txt'), { force: true })
    expect(await runClient(late, {}, { SystemRoot: windowsPath('').slice(0, -1) })).toMatchObject(timeout)
    expect(await readFile(join(system, 'asked.txt'), 'utf8')).toBe('/T /F')
  })
})

test('the suite’s own helper prints a token, and keeps it under the user’s local data', async () => {
  const local = `local-${Date.now()}`
  const env = {
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    USERPROFILE: windowsPath('home'),
    LOCALAPPDATA: windowsPath(local),
  }
  const credential = { commandWindows: windowsPath('aws-bedrock-token.exe') }
  const first = await runClient(credential, env)
  expect(first).toMatchObject({
    run: { ok: true, stderr: '', warnings: [] },
    token: expect.stringMatching(/^bedrock-api-key-[\w=]+$/),
  })
  await access(join(directory, local, 'Gatepass', 'Cache'))
  expect(await runClient(credential, env)).toMatchObject({ token: first.token })
})

test('what a helper prints has neither a byte order mark nor carriage returns', async () => {
  const out = join(directory, 'version.txt')
  await execa('wine', [join(directory, 'gatepass-helpers.exe'), '--help'], {
    env: wineEnv,
    stdin: 'ignore',
    stdout: { file: out },
  })
  expect(await readFile(out, 'latin1')).toMatch(/^gatepass-helpers: [\x20-\x7e\n]+$/)
})
