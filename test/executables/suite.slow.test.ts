import { copyFile, link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { hostname, userInfo } from 'node:os'
import { join } from 'node:path'
import { execa } from 'execa'
import { describe, expect, inject, test } from 'vitest'
import { compileAhead } from '../../pkg-scripts/bundle/code-cache.ts'
import { readCommit } from '../../pkg-scripts/commit.ts'
import { assembleExecutable } from '../../pkg-scripts/executable/build-executable.ts'
import { buildSeparate } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget, requireRuntime } from '../../pkg-scripts/executable/runtimes.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { digestNames } from '../../src/runtime/digest.ts'
import { quoteForShell } from '../../src/runtime/text/quote.ts'
import { vendor } from '../../src/vendor.ts'
import { version } from '../../src/version.ts'
import { fails, prints, runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'

const [first = ''] = listHelpers()
const names = `for ${vendor.name}, names ${digestNames(vendor)}`
const versionOf = (program: string) =>
  `${program} ${version} (commit ${readCommit()}, runtime ${requireRuntime(hostTarget).version}, ${names})\n`

describe('an installed suite', () => {
  const suite = inject('suite')

  /** Creates the executable under this name in a new directory. */
  const installAs = async (name: string, make: (from: string, to: string) => Promise<void>) => {
    const path = join(await temporaryDirectory(), name)
    await make(suite.helpers, path)
    return path
  }
  const printsVersion = (program: string) => ({ status: 0, stdout: versionOf(program), stderr: '' })

  test('says version, commit, runtime and vendor under the name of every helper, and as gatepass', async () => {
    for (const name of listHelpers())
      expect(await runExecutable(join(suite.directory, name), { argv: ['--version'] })).toEqual(printsVersion(name))
    expect(await runExecutable(suite.cli, { argv: ['--version'] })).toEqual(printsVersion('gatepass'))
  })

  test.each<[what: string, name: string, make: (from: string, to: string) => Promise<void>]>([
    ['a hard link', first, (from, to) => link(from, to).catch(() => copyFile(from, to))],
    ['a symbolic link', first, symlink],
    [
      'a symbolic link to a symbolic link',
      first,
      async (from, to) => {
        await symlink(from, `${to}-between`)
        await symlink(`${to}-between`, to)
      },
    ],
    ['a name with .exe', `${first}.exe`, symlink],
    ['a name in capitals, as Windows may give it', `${first.toUpperCase()}.EXE`, symlink],
  ])('knows its helper by %s', async (_, name, make) => {
    expect(await runExecutable(await installAs(name, make), { argv: ['--version'] })).toEqual(printsVersion(first))
  })

  test('knows its helper when it is found on the path', async () => {
    const env = { PATH: suite.directory }
    expect(await runExecutable('/bin/sh', { argv: ['-c', `${first} --version`], env })).toEqual(printsVersion(first))
  })

  test('takes the helper as its first argument under another name', async () => {
    const other = await installAs('something-else', symlink)
    expect(await runExecutable(other, { argv: [first, '-V'] })).toEqual(printsVersion(first))
    expect(await runExecutable(suite.helpers, { argv: [first, '--lifetime', '1'] })).toEqual(
      fails(first, 2, 'unknown option --lifetime', `see: ${quoteForShell([suite.helpers])} ${first} --help`),
    )
  })

  test('lists its programs under a name that no helper has', async () => {
    expect(await runExecutable(suite.helpers)).toEqual({
      status: 2,
      stdout: '',
      stderr: `gatepass-helpers: no helper is named
gatepass-helpers: hint: start it as, or with, one of ${listHelpers().join(', ')}; see: ${quoteForShell([suite.helpers])} --help\n`,
    })
    expect(await runExecutable(suite.helpers, { argv: ['--version'] })).toEqual(printsVersion('gatepass-helpers'))
    const { stdout } = await runExecutable(suite.helpers, { argv: ['--help'] })
    expect(stdout.match(/(?<=^ {2})[a-z-]+$/gm)).toEqual(listHelpers())
  })

  test('names itself in a hint and in examples by the path that it was started with', async () => {
    const directory = join(await temporaryDirectory(), 'our tools')
    await mkdir(directory)
    for (const [name, target, argv, message] of [
      [first, suite.helpers, ['--no-such-option'], 'unknown option --no-such-option'],
      ['gatepass', suite.cli, ['no-such-command'], "unknown command 'no-such-command'"],
    ] as const) {
      const path = join(directory, name)
      await symlink(target, path)
      const failed = await runExecutable(path, { argv })
      const hint = `hint: see: ${quoteForShell([path])} --help`
      expect(failed).toEqual({ status: 2, stdout: '', stderr: `${name}: ${message}\n${name}: ${hint}\n` })
      const help = await runExecutable('/bin/sh', { argv: ['-c', /: hint: see: (.*)/.exec(failed.stderr)![1]!] })
      const examples = help.stdout.split('\n').filter((line) => line.startsWith(`  ${quoteForShell([path])} `))
      expect({ ...help, stdout: examples.length > 0 }).toEqual({ status: 0, stdout: true, stderr: '' })
      // Found by its name, it has that name.
      const env = { PATH: `${directory}:${process.env.PATH}` }
      const found = await runExecutable('/bin/sh', { argv: ['-c', `${name} ${argv.join(' ')}`], env })
      expect(found.stderr).toBe(`${name}: ${message}\n${name}: hint: see: ${name} --help\n`)
    }
  })

  test('asks the keychain of its system in a child process', async () => {
    for (const [path, program] of [
      [join(suite.directory, first), first],
      [suite.helpers, 'gatepass-helpers'],
      [suite.cli, 'gatepass'],
    ] as const)
      expect(await runExecutable(path, { argv: ['keychain-child'] })).toEqual({
        status: 2,
        stdout: '',
        stderr: `${program}: keychain-child is not for people: ${program} starts itself with it to ask the system's keychain (on linux it is asked in another way)
${program}: hint: see what there is: ${program} --help\n`,
      })
  })

  test('is not affected by NODE_OPTIONS and similar variables', async () => {
    const directory = await temporaryDirectory()
    const hook = join(directory, 'hook.cjs')
    await writeFile(hook, `require('node:fs').writeSync(1, 'hooked')`)
    const quoted = JSON.stringify(hook)
    const env = {
      NODE_OPTIONS: `--require ${quoted} --import ${quoted}`,
      NODE_PATH: directory,
      NODE_V8_COVERAGE: join(directory, 'coverage'),
      NODE_COMPILE_CACHE: join(directory, 'compiled'),
      OPENSSL_CONF: hook,
    }
    for (const [name, program] of [
      [first, join(suite.directory, first)],
      ['gatepass', suite.cli],
    ] as const)
      expect(await runExecutable(program, { argv: ['--version'], env })).toEqual(printsVersion(name))
    for (const option of ['--require', '--eval', '--inspect', '--node-options'])
      expect(await runExecutable(join(suite.directory, first), { argv: [`${option}=${hook}`] })).toEqual(
        fails(first, 2, `unknown option ${option}`, `see: ${quoteForShell([join(suite.directory, first)])} --help`),
      )
    // The runtime itself refuses this variable before our code runs.
    const refused = {
      status: 9,
      stdout: '',
      stderr: `${suite.cli}: NODE_REPL_EXTERNAL_MODULE can't be used with kDisableNodeOptionsEnv\n`,
    }
    const replEnv = { NODE_REPL_EXTERNAL_MODULE: hook }
    expect(await runExecutable(suite.cli, { argv: ['--version'], env: replEnv })).toEqual(refused)
  })

  test.skipIf(process.platform === 'win32')('opens no debugger port on a signal', async () => {
    const home = await temporaryDirectory()
    const pipe = join(home, 'config')
    await execa('mkfifo', [pipe])
    const env = { HOME: home, AWS_CONFIG_FILE: pipe }
    const argv = ['--profile', 'x', '--client-timeout', '6']
    const options = { env, extendEnv: false, stdin: 'ignore', reject: false } as const
    const run = execa(join(suite.directory, 'aws-bedrock-token'), argv, options)
    setTimeout(() => run.kill('SIGUSR1'), 2_000)
    const { exitCode, stderr } = await run
    expect({ exitCode, stderr }).toEqual({
      exitCode: 7,
      stderr: `aws-bedrock-token: reading the configuration (waiting for ${pipe}) took longer than the 4 s of this call
aws-bedrock-token: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here`,
    })
  })

  test('holds no path, user or host of the machine that built it', async () => {
    const names = [root, process.execPath, userInfo().homedir, hostname()].filter((name) => name.length > 5)
    for (const program of [suite.helpers, suite.cli]) {
      const bytes = await readFile(program)
      expect(names.filter((name) => bytes.includes(name))).toEqual([])
    }
  })

  test('has the AWS SDK find credentials in a process of its own', async () => {
    const home = await temporaryDirectory()
    const AWS_CONFIG_FILE = join(home, 'config')
    await writeFile(AWS_CONFIG_FILE, '[profile dev]\naws_access_key_id = AKIAEXAMPLE\naws_secret_access_key = canary\n')
    const env = { HOME: home, AWS_CONFIG_FILE, AWS_REGION: 'eu-central-1' }
    const argv = ['--profile', 'dev', '--aws-chain', 'sdk', '--cache', 'none', '--format', 'credential-process']
    const run = (path: string, before: string[] = []) => runExecutable(path, { argv: [...before, ...argv], env })
    const keys = { Version: 1, AccessKeyId: 'AKIAEXAMPLE', SecretAccessKey: 'canary' }
    const name = 'aws-bedrock-token'
    for (const outcome of [await run(join(suite.directory, name)), await run(suite.helpers, [name])]) {
      expect({ ...outcome, stdout: JSON.parse(outcome.stdout || '{}') }).toEqual({
        status: 0,
        stderr: '',
        stdout: keys,
      })
    }
  })

  test('prints a token that a bundle prints too', async () => {
    const home = await temporaryDirectory()
    const env = {
      HOME: home,
      AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_REGION: 'eu-central-1',
    }
    const outcome = await runExecutable(join(suite.directory, 'aws-bedrock-token'), { env })
    expect(toStableValue(outcome)).toEqual({ status: 0, stdout: '{"token":"BEDROCK-KEY"}\n', stderr: '' })
    expect(await runExecutable(join(suite.directory, 'aws-bedrock-token'), { env })).toEqual(outcome)
  })
})

test('an executable starts the code that is compiled ahead, which is the same in every build', async () => {
  const code = `(function(require){return 'started'})`
  const [cache, again] = [compileAhead([code]), compileAhead([code])].flat()
  expect(cache).toEqual(again)
  const main = `const { getRawAsset } = require('node:sea')
const script = new (require('node:vm').Script)(${JSON.stringify(code)}, { cachedData: Buffer.from(getRawAsset('cache')) })
process.stdout.write(JSON.stringify({ rejected: script.cachedDataRejected, value: script.runInThisContext()() }))`
  const path = join(root, 'dist', 'test', 'compiled-ahead')
  await assembleExecutable(
    hostTarget,
    { main, assets: new Map([['cache', cache!]]) },
    { path, summary: 'made by a test' },
  )
  const outcome = { status: 0, stdout: '{"rejected":false,"value":"started"}', stderr: '' }
  expect(await runExecutable(path, {})).toEqual(outcome)
})

test('the pieces of an executable begin where V8 need not copy compiled code', async () => {
  const pieces = Buffer.from('pieces of a made-up program, which occur once')
  const path = join(root, 'dist', 'test', 'aligned')
  const places: number[] = []
  for (const main of [';', ';;', ';;;']) {
    const content = { main, assets: new Map([['pieces', pieces]]), alignedAsset: 'pieces' }
    await assembleExecutable(hostTarget, content, { path, summary: 'made by a test' })
    places.push((await readFile(path)).indexOf(pieces) % 8)
    expect(await runExecutable(path, {})).toEqual({ status: 0, stdout: '', stderr: '' })
  }
  expect(places).toEqual([0, 0, 0])
})

test('an executable of one helper is that helper under any name', async () => {
  const path = await buildSeparate(hostTarget, first, {}, join(root, 'dist', 'test'))
  const other = join(await temporaryDirectory(), 'renamed')
  await symlink(path, other)
  for (const program of [path, other])
    expect(await runExecutable(program, { argv: ['--version'] })).toEqual(prints(versionOf(first)))
})
