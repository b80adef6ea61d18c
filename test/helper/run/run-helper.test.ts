import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import { digestNames } from '../../../src/runtime/digest.ts'
import { exitStatus, type FailureKind, HelperError } from '../../../src/runtime/failure.ts'
import { credentialProcessVariable } from '../../../src/runtime/program/credential-process-cycle.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { vendor } from '../../../src/vendor.ts'
import { version } from '../../../src/version.ts'
import { type TestHost, type TestHostParts, testHost, testNow } from '../../setup/test-host.ts'
import { isRoot } from '../../setup/unprivileged.ts'

/** A made-up helper: it prints a token named after its account, which lives for `life` seconds. */
const badge = defineHelper({
  summary: 'print a badge',
  options: {
    account: { value: 'text', default: 'home', summary: 'whose badge' },
    life: { value: 'seconds', default: 7200, summary: 'how long it lives' },
  },
  facts: ['account', 'floor'],
  async plan(_, { account }) {
    return { inputs: { account }, steps: [`the drawer of ${account}`] }
  },
  async mint(host, { account, life }) {
    return {
      token: new Secret(`badge-${account}`),
      expiresAt: new Date(host.clock.now() + life * 1000),
      facts: { account },
    }
  },
})

/** {@link badge} with another way to get a token. */
const badgeThat = (mint: (typeof badge)['mint']): typeof badge => ({ ...badge, mint })
const failing = (error: unknown) => badgeThat(() => Promise.reject(error))

/** Returns the whole outcome of one run of `helper` under the name `badge`. */
async function run(parts: TestHostParts = {}, helper = badge) {
  const host = await testHost(parts)
  return runOn(host, helper)
}

async function runOn(host: TestHost, helper = badge) {
  const ending = await runHelper('badge', helper, host)
  return { ...ending, ...host.written }
}

const printed = (stdout: string, stderr = '') => ({ status: 0, work: 'finished', stdout, stderr })
const failed = (kind: FailureKind, message: string, hint: string) => ({
  status: exitStatus[kind],
  work: kind === 'late' ? 'abandoned' : 'finished',
  stdout: '',
  stderr: `badge: ${message}\nbadge: hint: ${hint}\n`,
})

describe('the output', () => {
  test('a run prints one document and is silent beside it', async () => {
    expect(await run()).toEqual(printed('{"token":"badge-home"}\n'))
  })

  test('headers that come with a token are printed with it, cached or not, and give way to configured ones', async () => {
    const helper = badgeThat(async ({ clock }) => ({
      token: new Secret('t'),
      expiresAt: new Date(clock.now() + 7_200_000),
      facts: {},
      headers: { 'X-Team': 'of the source', 'X-Room': '7' },
    }))
    const argv = ['--header', 'x-team: own']
    const first = await testHost({ argv })
    const both = printed('{"token":"t","headers":{"X-Room":"7","x-team":"own"}}\n')
    const second = await testHost({ argv, home: first.home, env: first.env })
    expect([await runOn(first, helper), await runOn(second, failing(new Error('asked again')))]).toEqual([both, both])
  })

  test.each<[argv: string[], stdout: string]>([
    [['--account', 'work'], '{"token":"badge-work"}\n'],
    [['--header', 'X-Team: {account}'], '{"token":"badge-home","headers":{"X-Team":"home"}}\n'],
    [['--format', 'token'], 'badge-home\n'],
    [['--format', 'headers', '--header', 'X-Team: t'], 'Authorization: Bearer badge-home\nX-Team: t\n'],
  ])('%j prints %j', async (argv, stdout) => {
    expect(await run({ argv })).toEqual(printed(stdout))
  })

  test('stdout is written once, after everything else has happened', async () => {
    const events: string[] = []
    const helper = badgeThat(async (...call) => {
      events.push('mint')
      return badge.mint(...call)
    })
    const streams = { stdout: async () => void events.push('stdout'), stderr: () => events.push('stderr') }
    await run({ argv: ['--life', '60'], streams }, helper)
    expect(events).toEqual(['mint', 'stderr', 'stdout'])
  })

  test('a second run is served from the cache', async () => {
    const host = await testHost()
    await runOn(host)
    const again = await testHost({ home: host.home })
    expect(await runOn(again, failing(new Error('asked again')))).toEqual(printed('{"token":"badge-home"}\n'))
  })

  test('a run for other options is not served from the cache', async () => {
    const host = await testHost()
    await runOn(host)
    const other = await testHost({ home: host.home, argv: ['--account', 'work'] })
    expect(await runOn(other)).toEqual(printed('{"token":"badge-work"}\n'))
  })

  test('--version names the suite, the runtime and the vendor', async () => {
    expect(await run({ argv: ['--version'] })).toEqual(
      printed(`badge ${version} (commit unknown, runtime 26.0.0, for ${vendor.name}, names ${digestNames(vendor)})\n`),
    )
  })

  test.each([
    ['--help', 'the options that most people set', ['All options: badge --help all'], '--cache'],
    ['--help all', 'every option', ['  --cache disk|keychain|none', '  sign-in-hint TEXT'], 'All options:'],
  ])('%s tells %s with its variable, both files and every exit status', async (words, _, own, other) => {
    const { stdout, ...rest } = await run({ argv: words.split(' '), home: '/home/u', machineDirectory: '/machine' })
    const lines = stdout.split('\n')
    const told = [
      '  --client-ttl SECONDS',
      '  --format json | token | headers | headers-json | access-token-json |',
      '  proxy-authorization | exec-credential | credential-process | sts-credentials |',
      '  bazel | git',
      '  --explain',
      "  user's file     /home/u/.config/gatepass/badge.json",
      "  machine's file  /machine/badge.json",
      ...own,
      '  -h, --help',
      '  badge --explain',
      'Headers may use {account}, {floor}.',
    ]
    expect({
      ...rest,
      first: lines.slice(0, 11),
      missing: told.filter((line) => !lines.includes(line)),
      statuses: lines.flatMap((line) => /^ {2}(\d+) +\w/.exec(line)?.[1] ?? []),
      others: lines.filter((line) => line.includes(other)),
    }).toEqual({
      status: 0,
      work: 'finished',
      stderr: '',
      first: [
        'badge: print a badge',
        '',
        'Usage: badge [OPTIONS]',
        '',
        'Options',
        '  --account TEXT',
        '      whose badge',
        '      [default: home; GATEPASS_ACCOUNT]',
        '  --life SECONDS',
        '      how long it lives',
        '      [default: 7200; GATEPASS_LIFE]',
      ],
      missing: [],
      statuses: ['0', ...Object.values(exitStatus).map(String)],
      others: [],
    })
  })
})

describe('--explain', () => {
  const argv = ['--explain', '--header', 'X-Team: {account}', '--client-ttl', '1800', '--renew-early', '0']

  test('describes the call, without the token and without the values of headers', async () => {
    const host = await testHost({ argv, env: { [vendor.contextVariable]: 'background', GATEPASS_ACCOUNT: 'work' } })
    expect(await runOn(host)).toEqual(
      printed(`context
  background (VENDOR_HELPER_CONTEXT is "background"); nobody is asked
  ends by itself after 58 s
options
  client-ttl = 1800 (argument)
  client-timeout = 60 (default)
  header = 1 given (argument)
  format = json (default)
  cache = disk (default)
  renew-early = 0 (argument)
  explain = true (argument)
  account = work (variable GATEPASS_ACCOUNT)
  life = 7200 (default)
uses
  the drawer of work
token
  from mint
  lives 7200 s, until 2026-01-15T14:00:00.000Z
  account: work
headers
  X-Team
cache
  ${await toEntry(host)}
  renewed from 2026-01-15T13:29:00.000Z on, as late as can be
`),
    )
  })

  test('says that a second call is served from the cache', async () => {
    const host = await testHost({ argv })
    await runOn(host)
    const minted = host.written.stdout
    const again = await testHost({ argv, home: host.home })
    expect(await runOn(again)).toEqual(printed(minted.replace('from mint', 'from cache')))
  })

  test('says which facts are not known and not stored', async () => {
    const endless = badgeThat(async () => ({ token: new Secret('t'), expiresAt: undefined, facts: {} }))
    const lines = async (more: string[]) => (await run({ argv: ['--explain', ...more] }, endless)).stdout.split('\n')
    const tail = (await lines([])).slice(14)
    expect(tail).toEqual([
      'token',
      '  from mint',
      '  has no known end',
      'headers',
      '  none',
      'cache',
      '  a token with no known end is not stored',
      '',
    ])
    expect((await lines(['--cache', 'none'])).at(-2)).toBe('  not used')
  })

  test('says that a person may be asked where one is there', async () => {
    const { stdout } = await run({ argv, streams: { attached: () => 'terminal' } })
    expect(stdout.split('\n').slice(0, 3)).toEqual([
      'context',
      '  terminal (VENDOR_HELPER_CONTEXT is not set); a person may be asked',
      '  ends by itself after 58 s',
    ])
  })

  test('no value that it shows can forge a line or reach a terminal as an escape sequence', async () => {
    const account = 'a\n  from nowhere\x1b[2J'
    const env = { [vendor.contextVariable]: 'x\ntoken\n  from nowhere' }
    const { stdout } = await run({ argv: ['--explain', '--account', account], env })
    expect(stdout.split('\n').filter((line) => /from nowhere|\p{Cc}/u.test(line))).toEqual([
      '  unknown (VENDOR_HELPER_CONTEXT is "x\\ntoken\\n  from nowhere"); nobody is asked',
      '  account = a   from nowhere\\u001b[2J (argument)',
      '  the drawer of a   from nowhere\\u001b[2J',
      '  account: a   from nowhere\\u001b[2J',
    ])
  })

  async function toEntry(host: TestHost): Promise<string> {
    const directory = join(host.home, '.cache', 'gatepass')
    return join(directory, (await readdir(directory))[0] ?? 'nothing')
  }
})

describe('a failure', () => {
  test.each(Object.keys(exitStatus).filter((kind) => kind !== 'bug') as FailureKind[])(
    'a mint that fails as %s ends with its status, its message and its hint',
    async (kind) => {
      expect(await run({}, failing(new HelperError(kind, 'it failed', 'fix it')))).toEqual(
        failed(kind, 'it failed', 'fix it'),
      )
    },
  )

  test.runIf(isRoot).each<[kind: FailureKind, hint: string]>([
    ['sign-in-required', 'open the company portal: https://portal.example badge: forged'],
    ['refused', 'fix it'],
  ])('where the machine’s file says how people sign in, the hint of %s is "%s"', async (kind, hint) => {
    const host = await testHost()
    const text = 'open the company portal: https://portal.example\nbadge: forged'
    await writeFile(join(host.machineDirectory, 'badge.json'), JSON.stringify({ 'sign-in-hint': text }))
    const { stderr, ...rest } = await runOn(host, failing(new HelperError(kind, 'it failed', 'fix it')))
    expect({ ...rest, stderr: stderr.split('\n').slice(0, 2) }).toEqual({
      status: exitStatus[kind],
      work: 'finished',
      stdout: '',
      stderr: ['badge: it failed', `badge: hint: ${hint}`],
    })
  })

  const report = 'report it to whoever gave you the program, with the output of --version and what you did'
  test.each<[thrown: unknown, name: string]>([
    [new TypeError('badge-home leaked'), 'TypeError'],
    ['badge-home leaked', 'string'],
    [undefined, 'undefined'],
  ])('a defect that throws %o is reported by its name alone', async (thrown, name) => {
    expect(await run({}, failing(thrown))).toEqual(failed('bug', `this program has a defect (${name})`, report))
  })

  test('a defect in planning is reported the same way', async () => {
    const helper: typeof badge = { ...badge, plan: () => Promise.reject(new RangeError('badge-home leaked')) }
    expect(await run({}, helper)).toEqual(failed('bug', 'this program has a defect (RangeError)', report))
  })

  test.each<[argv: string[], message: string, hint: string]>([
    [['--acount', 'x'], 'unknown option --acount (did you mean --account?)', 'see: badge --help'],
    [['--life=soon'], '--life: expected a whole number of seconds', 'see: badge --help'],
    [
      ['--header', 'Authorization: x'],
      'header: "Authorization" belongs to the client and cannot be set',
      'remove the headers that the client sends itself',
    ],
    [
      ['--header', 'X-A: 1', '--header', 'x-a: 2'],
      'header: "X-A" and "x-a" differ in case only',
      "write each header as 'Name: value'; see: badge --help",
    ],
    [
      ['--header', 'X-A: {team}'],
      'header: "X-A" asks for {team}, but this helper knows only {account}, {floor}',
      "write each header as 'Name: value'; see: badge --help",
    ],
  ])('%j is a usage error, and nothing is minted', async (argv, message, hint) => {
    expect(await run({ argv }, failing(new Error('minted')))).toEqual(failed('usage', message, hint))
  })

  test('a fact that the token lacks is not configured', async () => {
    expect(await run({ argv: ['--header', 'X-Floor: {floor}'] })).toEqual(
      failed(
        'not-configured',
        'header "X-Floor" asks for {floor}, which is not known of this token; known of it are {account}',
        'write the value itself in place of {floor}',
      ),
    )
  })

  test.each<[token: string, argv: string[], problem: string]>([
    ['two words', [], 'the token is not one word of visible ASCII'],
    ['a\nb', [], 'the token is not one word of visible ASCII'],
    ['', [], 'the token is not one word of visible ASCII'],
    ['{t', ['--format', 'token'], 'a bare token that starts with "{" is read as JSON'],
  ])('the token %j with %j is refused before it is printed', async (token, argv, problem) => {
    const helper = badgeThat(async () => ({ token: new Secret(token), expiresAt: undefined, facts: {} }))
    expect(await run({ argv }, helper)).toEqual(
      failed('refused', problem, 'use another format or other headers; see: badge --help'),
    )
  })

  test.each([
    ['a reader that went away', 'EPIPE', 'have the program that starts this read stdout to its end'],
    ['a full disk', 'ENOSPC', 'make room where stdout is written to'],
    ['a quota that is used up', 'EDQUOT', 'make room where stdout is written to'],
    [
      'a file that has grown to its limit',
      'EFBIG',
      'raise the limit of the size of files (ulimit -f), or write stdout elsewhere',
    ],
    ['a descriptor that is not open for writing', 'EBADF', 'start this with a stdout that is open for writing'],
    ['a device that fails', 'EIO', 'have stdout written elsewhere'],
  ])('stdout with %s is reported on stderr', async (_what, code, hint) => {
    const stdout = async () => {
      throw Object.assign(new Error(`write ${code} badge-home`), { code })
    }
    expect(await run({ streams: { stdout } })).toEqual(failed('unwritable', `stdout cannot be written (${code})`, hint))
  })

  test.runIf(isRoot)('a broken file fails the run although arguments would take precedence', async () => {
    const host = await testHost({ argv: ['--account', 'x'] })
    const path = join(host.machineDirectory, 'badge.json')
    await writeFile(path, '{"acount": "y"}')
    expect(await runOn(host)).toEqual(
      failed('not-configured', `${path}: acount: is not a setting of this program`, `correct ${path}, or move it away`),
    )
    expect(await run({ env: { GATEPASS_LIFE: 'x' } })).toEqual(
      failed(
        'usage',
        'GATEPASS_LIFE: expected a whole number of seconds',
        'correct the environment, or see: badge --help',
      ),
    )
  })

  test('is reported inside a credential_process before anything is read', async () => {
    const env = { [credentialProcessVariable]: 'dev' }
    expect(await run({ env })).toEqual(
      failed(
        'not-configured',
        'the credential_process of profile "dev" is a credential helper, which would ask that profile again',
        'give profile "dev" a credential_process that prints AWS credentials, or another kind of credentials',
      ),
    )
    expect(await run({ env, argv: ['--version'] })).toEqual({
      work: 'finished',
      stdout: `badge 0.1.0 (commit unknown, runtime 26.0.0, for ${vendor.name}, names ${digestNames(vendor)})\n`,
      status: 0,
      stderr: '',
    })
  })
})

describe('where settings come from', () => {
  test.runIf(isRoot)(
    'the environment takes precedence over the user, and a lock of the machine over both',
    async () => {
      const host = await testHost({ argv: ['--account', 'argument'], env: { GATEPASS_LIFE: '9000' } })
      const user = join(host.home, '.config', 'gatepass')
      await mkdir(user, { recursive: true })
      await writeFile(join(user, 'badge.json'), '{"life": 8000, "cache": "none"}')
      await writeFile(join(host.machineDirectory, 'badge.json'), '{"account": "locked", "locked": ["account"]}')
      const explained = { ...host, argv: [...host.argv, '--explain'] }
      await runHelper('badge', badge, explained)
      const [, options] = /^options\n((?: .*\n)+)/m.exec(host.written.stdout) ?? []
      expect(options).toBe(`\
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = json (default)
  cache = none (${join(user, 'badge.json')})
  renew-early = 25 (default)
  explain = true (argument)
  account = locked (locked by ${join(host.machineDirectory, 'badge.json')})
  life = 9000 (variable GATEPASS_LIFE)
`)
    },
  )

  test('an unknown context is served silently', async () => {
    const env = { [vendor.contextVariable]: 'a-context-of-next-year' }
    expect(await run({ env })).toEqual(printed('{"token":"badge-home"}\n'))
  })

  test.each([
    ['interactive', 'interactive'],
    ['mid-session-refresh', 'mid-session-refresh'],
    ['Interactive', 'unknown'],
  ])('a mint that runs for %j is told %s', async (value, context) => {
    const told: string[] = []
    const helper = badgeThat(async (host, options, call, plan) => {
      told.push(call.context)
      return badge.mint(host, options, call, plan)
    })
    await run({ env: { [vendor.contextVariable]: value } }, helper)
    expect(told).toEqual([context])
  })

  test('a warning is a line on stderr of a run that still succeeds', async () => {
    expect(await run({ argv: ['--life', '1800'] })).toEqual(
      printed(
        '{"token":"badge-home"}\n',
        "badge: warning: the token lives 1800 s, but the client keeps it for 3600 s: set ttlSec in the client's document, and client-ttl here, to 1740\n",
      ),
    )
  })
})

describe('at the deadline', () => {
  const never = () => new Promise<never>(() => {})
  const raise = "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here"
  /** Returns a process that started so long ago that a few milliseconds are left of `seconds`. */
  const clock = (seconds: number) => ({
    now: () => testNow,
    startedAt: testNow,
    elapsedMs: () => seconds * 1000 - 500,
  })

  test('a mint that never ends is given up as late, by the name of its stage', async () => {
    expect(await run({ clock: clock(58) }, badgeThat(never))).toEqual(
      failed('late', 'getting a token took longer than the 58 s of this call', raise),
    )
  })

  test('a plan that never ends is late under its own name', async () => {
    expect(await run({ clock: clock(58) }, { ...badge, plan: never })).toEqual(
      failed('late', 'reading the configuration took longer than the 58 s of this call', raise),
    )
  })

  test.runIf(isRoot).each([
    ['an argument', { argv: ['--client-timeout', '5'] }, '{}'],
    ['a variable', { env: { GATEPASS_CLIENT_TIMEOUT: '5' } }, '{}'],
    ['the machine’s file', {}, '{"client-timeout": 5}'],
  ])('the timeout of the client is that of %s, less two seconds', async (_, given, file) => {
    const host = await testHost({ clock: clock(3), ...given })
    await writeFile(join(host.machineDirectory, 'badge.json'), file)
    expect(await runOn(host, badgeThat(never))).toEqual(
      failed('late', 'getting a token took longer than the 3 s of this call', raise),
    )
  })

  test('a refresh has eighteen seconds', async () => {
    const env = { [vendor.contextVariable]: 'mid-session-refresh' }
    expect(await run({ env, clock: clock(18), argv: ['--client-timeout', '600'] }, badgeThat(never))).toEqual(
      failed(
        'late',
        'getting a token took longer than the 18 s of this call',
        'find out why it is slow; in mid-session-refresh a client waits 20 s, whatever its timeoutSec',
      ),
    )
  })
})
