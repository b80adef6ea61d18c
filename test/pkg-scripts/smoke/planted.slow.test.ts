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
import { toStableValue } from '../../setup/to-stable-text.ts'
import { type Planted, writeRelease } from './made-up-release.ts'

/** Returns the report of the steps that failed: without tokens, and without what follows the version that a program says. */
async function failuresOf(planted: Planted): Promise<string[]> {
  const subject = await openSubject({ release: await writeRelease(planted) })
  const failures: string[] = []
  try {
    for await (const { name, outcome, words } of runSteps(steps, subject, []))
      if (outcome === 'failed')
        failures.push(
          `${name}: ${words}`
            .replaceAll(/"(smoke-access-token|sk-vendor-oat01)-[\w-]+"/g, 'TOKEN')
            .replace(/ \(commit .*/, ' …'),
        )
  } finally {
    subject.close()
  }
  return failures
}

test.each<[what: string, planted: Planted, failures: readonly string[]]>([
  [
    'a name of another version',
    { program: 'if [ "$name $1" = "oidc-token --version" ]; then start "$@" | sed s/0/9/; exit; fi' },
    [`version: oidc-token --version:\n  stdout is "oidc-token ${version.replace('0', '9')} …`],
  ],
  [
    'no cache',
    { program: 'if [ "$name $1" = "workload-token --base-url" ]; then set -- --cache none "$@"; fi' },
    [
      'cached: the token of the second call: it is TOKEN, required is TOKEN',
      'parallel: different tokens: it is 6, required is 1',
      'kill: the token after that: it is TOKEN, required is TOKEN',
      'gateway: the token again: it is TOKEN, required is TOKEN',
      'upgrade: the token of the version before: it is TOKEN, required is TOKEN',
    ],
  ],
  [
    'a word on stderr',
    { program: 'if [ "$name $1" = "workload-token --base-url" ]; then echo hello >&2; fi' },
    [
      'mint: the first call',
      'cached: the second call',
      'parallel: a call among others',
      'kill: the next call',
      'gateway: a call',
      'upgrade: a call before',
    ].map((where) => `${where}:\n  stderr is "hello\\n", required is ""`),
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

const command = join(root, 'pkg-scripts', 'smoke', 'run-smoke.ts')
/** Returns the whole outcome, without the name of this system. */
async function smoke(...argv: string[]) {
  const options = { argv: [command, ...argv], env: { PATH: '/usr/bin:/bin' }, timeoutMs: 60_000 }
  const { stdout, ...rest } = await runExecutable(process.execPath, options)
  return toStableValue({ ...rest, stdout: stdout.replace(/^(Gatepass .* on ).*/, '$1SYSTEM') })
}
const title = `Gatepass ${version} on SYSTEM\n`

test('the command prints each step, and fails where a required one is skipped', async () => {
  const { status, stdout, stderr } = await smoke('--release', await writeRelease({}), '--require', 'powershell')
  const lines = stdout.trimEnd().split('\n')
  // The words of a step that failed; no step has the time that it took.
  const told = lines.map((line) => line.replace(/ +\d+\.\d s +(.*)/, line.startsWith('FAILED') ? ': $1' : ''))
  expect({ status, stderr, lines: told }).toEqual({
    status: 1,
    stderr: '',
    lines: [
      `Gatepass ${version} on SYSTEM`,
      ...['ok      install', 'ok      version', 'ok      mint', 'ok      cached', 'ok      parallel', 'ok      kill'],
      ...[
        'ok      gateway',
        '-       cmd',
        'FAILED  powershell: required, but this is not Windows',
        '-       keychain',
        'ok      upgrade',
        '-       keychain-upgrade',
        'ok      uninstall',
      ],
      '1 of 13 steps failed',
    ],
  })
})

test('only the calls are tried where another installer has installed the programs', async () => {
  const prefix = join(await temporaryDirectory(), 'opt')
  const release = await writeRelease({})
  for (const name of ['gatepass', 'gatepass-helpers']) {
    const argv = [join(release, `${name}-${version}`, 'install.sh'), '--prefix', prefix]
    const env = { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(prefix, '..', 'configuration') }
    expect(await runExecutable('/bin/sh', { argv, env })).toEqual({ status: 0, stdout: '', stderr: '' })
  }
  const { status, stdout } = await smoke('--installed', prefix)
  const skipped = stdout.split('\n').filter((line) => line.endsWith('something else has installed it'))
  expect({ status, skipped: skipped.map((line) => line.split(/ +/)[1]) }).toEqual({
    status: 0,
    skipped: ['install', 'upgrade', 'keychain-upgrade', 'uninstall'],
  })
})

test.each<[what: string, argv: readonly string[], stdout: string, stderr: string]>([
  [
    'a guest',
    ['--on', 'beos'],
    '',
    'smoke: --on: there is no guest beos\nsmoke: hint: choose debian-11, arm64, windows\n',
  ],
  [
    'a step',
    ['--require', 'dance'],
    title,
    `smoke: --require: there is no step dance\nsmoke: hint: choose install, version, mint, cached, parallel, kill, gateway, cmd, powershell, keychain, upgrade, keychain-upgrade, uninstall\n`,
  ],
])('%s that does not exist is refused with those that do', async (_, argv, stdout, stderr) => {
  expect(await smoke(...argv)).toEqual({ status: 2, stdout, stderr })
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
  const { title: about, system, ...rest } = facts
  expect({ ...rest, title: about.split(':')[0], platform: system.platform }).toEqual({
    report: 'gatepass smoke',
    version,
    title: `Gatepass ${version} on linux-${process.arch}`,
    platform: 'linux',
    archives: [],
    signatures: [],
  })
  expect(steps[0]).toEqual({ name: 'install', outcome: 'passed', seconds: expect.any(Number), words: '10 names' })
  expect(steps[2]).toEqual({
    name: 'mint',
    outcome: 'failed',
    words: `the first call:\n  stderr is "in …/home\\…", required is ""`,
    seconds: expect.any(Number),
  })
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
  expect(toStableValue(await smoke('--release', release, '--next', release))).toEqual({
    status: 3,
    stdout: title,
    stderr: `\
smoke: TEMPORARY has no archive of gatepass-helpers for this system with another version than ${version}
smoke: hint: change the version in package.json and build: npm run release -- --output DIRECTORY
`,
  })
})

test('a directory without archives is refused, with the command that makes them', async () => {
  const release = await temporaryDirectory()
  expect(toStableValue(await smoke('--release', release))).toEqual({
    status: 3,
    stdout: title,
    stderr: `\
smoke: there is no TEMPORARY/gatepass-helpers-${version}-linux-${process.arch}.tar.xz
smoke: hint: make it: npm run release -- --target linux-${process.arch}
`,
  })
})
