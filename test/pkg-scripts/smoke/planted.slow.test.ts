import { readFile } from 'node:fs/promises'
import { homedir, hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runSteps } from '../../../pkg-scripts/smoke/run-steps.ts'
import { steps } from '../../../pkg-scripts/smoke/steps/steps.ts'
import { openSubject } from '../../../pkg-scripts/smoke/subject/subject.ts'
import { root } from '../../../pkg-scripts/tree.ts'
import { version } from '../../../src/version.ts'
import { runExecutable } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type Planted, writeRelease } from './made-up-release.ts'

async function failuresOf(planted: Planted): Promise<string[]> {
  const subject = await openSubject({ release: await writeRelease(planted) })
  const failures: string[] = []
  try {
    for await (const { name, outcome, words } of runSteps(steps, subject, []))
      if (outcome === 'failed') failures.push(`${name}: ${words}`)
  } finally {
    subject.close()
  }
  return failures
}

test.each<[what: string, planted: Planted, failures: readonly unknown[]]>([
  [
    'a name of another version',
    { program: 'if [ "$name $1" = "oidc-token --version" ]; then start "$@" | sed s/0/9/; exit; fi' },
    [expect.stringMatching(/^version: oidc-token --version:\n {2}stdout is "oidc-token 9/)],
  ],
  [
    'no cache',
    { program: 'if [ "$name $1" = "workload-token --base-url" ]; then set -- --cache none "$@"; fi' },
    [
      expect.stringMatching(/^cached: the token of the second call: it is /),
      expect.stringMatching(/^parallel: different tokens: it is 6, required is 1$/),
      expect.stringMatching(/^kill: the token after that: it is /),
      expect.stringMatching(/^gateway: the token again: it is /),
      expect.stringMatching(/^upgrade: the token of the version before: it is /),
    ],
  ],
  [
    'a word on stderr',
    { program: 'if [ "$name $1" = "workload-token --base-url" ]; then echo hello >&2; fi' },
    ['mint', 'cached', 'parallel', 'kill', 'gateway', 'upgrade'].map((step) =>
      expect.stringMatching(new RegExp(`^${step}: .*\\n  stderr is "hello\\\\n", required is ""$`)),
    ),
  ],
  [
    'an upgrade and a removal that leave a name',
    {
      installer: (text) =>
        text
          .replace(
            'do replace_file "$home',
            'do [ -e "$prefix/oidc-token" ] && [ "$link" = oidc-token ] || replace_file "$home',
          )
          .replace('remove -f "$prefix/$link"\n', '[ "$link" = oidc-token ] || remove -f "$prefix/$link"\n'),
    },
    [
      'upgrade: names that are still the old file: it is ["oidc-token"], required is []',
      'uninstall: whether opt is still there: it is true, required is false',
    ],
  ],
])('where %s is planted, exactly the steps that see it fail', async (_, planted, failures) => {
  expect(await failuresOf(planted)).toEqual(failures)
})

const command = join(root, 'pkg-scripts', 'smoke', 'command.ts')
const smoke = (...argv: string[]) =>
  runExecutable(process.execPath, { argv: [command, ...argv], env: { PATH: '/usr/bin:/bin' }, timeoutMs: 60_000 })

test('the command says each step, and fails where one is skipped that is required', async () => {
  const { status, stdout, stderr } = await smoke('--release', await writeRelease({}), '--require', 'powershell')
  const lines = stdout.trimEnd().split('\n')
  expect({ status, stderr, lines: lines.map((line) => line.replace(/ +\d+\.\d s .*/, '')) }).toEqual({
    status: 1,
    stderr: '',
    lines: [
      expect.stringMatching(`^Gatepass ${version} on `),
      ...['ok      install', 'ok      version', 'ok      mint', 'ok      cached', 'ok      parallel', 'ok      kill'],
      ...[
        'ok      gateway',
        '-       cmd',
        'FAILED  powershell',
        '-       keychain',
        'ok      upgrade',
        '-       keychain-upgrade',
        'ok      uninstall',
      ],
      '1 of 13 steps failed',
    ],
  })
  expect(lines.find((line) => line.includes('powershell'))).toMatch(/required, but this is not Windows$/)
})

test('of what something else has installed, only the calls are tried', async () => {
  const prefix = join(await temporaryDirectory(), 'opt')
  const release = await writeRelease({})
  for (const name of ['gatepass', 'gatepass-helpers']) {
    const argv = [join(release, `${name}-${version}`, 'install.sh'), '--prefix', prefix]
    const env = { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(prefix, '..', 'configuration') }
    expect(await runExecutable('/bin/sh', { argv, env })).toMatchObject({ status: 0 })
  }
  const { status, stdout } = await smoke('--installed', prefix)
  const skipped = stdout.split('\n').filter((line) => line.endsWith('something else has installed it'))
  expect({ status, skipped: skipped.map((line) => line.split(/ +/)[1]) }).toEqual({
    status: 0,
    skipped: ['install', 'upgrade', 'keychain-upgrade', 'uninstall'],
  })
})

test.each<[what: string, argv: readonly string[], stderr: string]>([
  ['a guest', ['--on', 'beos'], 'smoke: --on: there is no guest beos\nsmoke: hint: choose debian-11, arm64, windows\n'],
  [
    'a step',
    ['--require', 'dance'],
    `smoke: --require: there is no step dance\nsmoke: hint: choose install, version, mint, cached, parallel, kill, gateway, cmd, powershell, keychain, upgrade, keychain-upgrade, uninstall\n`,
  ],
])('%s that there is not is refused, with those that there are', async (_, argv, stderr) => {
  expect(await smoke(...argv)).toMatchObject({ status: 2, stderr })
})

test('a field report says what was seen, and names neither the user nor the machine', async () => {
  const release = await writeRelease({
    program: 'if [ "$name $1" = "workload-token --base-url" ]; then echo "in $HOME" >&2; fi',
  })
  const path = join(await temporaryDirectory(), 'report.json')
  const { status, stderr } = await smoke('--release', release, '--field-report', path)
  expect({ status, stderr }).toEqual({ status: 1, stderr: '' })
  const text = await readFile(path, 'utf8')
  const own = [homedir(), root, tmpdir(), hostname()].filter((name) => name.length > 2)
  expect(own.filter((name) => text.includes(name))).toEqual([])
  const { steps, ...facts } = JSON.parse(text)
  expect(facts).toMatchObject({ report: 'gatepass smoke', version, system: { platform: 'linux' }, signatures: [] })
  expect(steps[0]).toEqual({ name: 'install', outcome: 'passed', seconds: expect.any(Number), words: '10 names' })
  expect(steps[2]).toMatchObject({ name: 'mint', outcome: 'failed', words: expect.stringContaining('in …/home') })
})

test.each([
  ['--on', '--field-report'],
  ['--installed', '--next'],
])('%s and %s are refused together', async (one, other) => {
  const argv = [one, 'windows', other, '/tmp/x']
  const stderr = `smoke: ${one} and ${other} cannot be used together\nsmoke: hint: remove ${other} or ${one}\n`
  expect(await smoke(...argv)).toEqual({ status: 2, stdout: '', stderr })
})

test('another build has another version, and a directory without one is refused', async () => {
  const release = await writeRelease({})
  expect(await smoke('--release', release, '--next', release)).toMatchObject({
    status: 3,
    stderr: `smoke: ${release} has no archive of gatepass-helpers for this system with another version than ${version}\nsmoke: hint: change the version in package.json and build: npm run release -- --output DIRECTORY\n`,
  })
})

test('a directory without archives is refused, with the command that makes them', async () => {
  const release = await temporaryDirectory()
  const archive = `${release}/gatepass-helpers-${version}-${process.platform}-${process.arch}.tar.xz`
  const hint = `make it: npm run release -- --target ${process.platform}-${process.arch}`
  expect(await smoke('--release', release)).toMatchObject({
    status: 3,
    stderr: `smoke: there is no ${archive}\nsmoke: hint: ${hint}\n`,
  })
})
