import { execFileSync } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkHelper } from '../../../src/client/check/check-helper.ts'
import type { CheckOptions, CheckProgress } from '../../../src/client/check/check-options.ts'
import type { RuleId } from '../../../src/client/check/rules/rules.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { checkGalleryHelper, findInGallery, outcomeOf } from './gallery.ts'

test('a helper that keeps every rule passes, with the reason why others do not apply', async () => {
  const { result, verdicts } = await checkGalleryHelper(findInGallery('good'))
  const other = verdicts.filter(({ verdict }) => verdict !== 'pass').map(({ rule, verdict }) => [rule, verdict])
  expect({ result, other }).toEqual({
    result: 'passed',
    other: [
      ['network-proxy', 'not-applicable'],
      ['same-identity', 'not-applicable'],
      ['bedrock-life', 'not-applicable'],
      ['bedrock-signature', 'not-applicable'],
      ['long-term-key', 'not-applicable'],
      ['key-gateway', 'not-applicable'],
    ],
  })
})

/** A few of the gallery by their own rule alone; with all rules they are in the slow tests. */
test.each<[name: string, rule: RuleId]>([
  ['browser-in-silent-context', 'no-browser'],
  ['asks-on-terminal', 'terminal-prompt'],
  ['token-in-arguments', 'secret-in-children'],
  ['token-in-log', 'secret-in-files'],
  ['keychain-hangs', 'refresh-in-time'],
  ['recursion', 'recursion'],
])('%s fails %s', async (name, rule) => {
  expect(outcomeOf(await checkGalleryHelper(findInGallery(name), { rules: [rule] }))).toEqual({
    fails: [rule],
    warns: [],
  })
})

/** Checks a shell script in a home of its own; `mode` is the mode of that home. */
async function checkScript(script: string, options: Partial<CheckOptions>, mode = 0o755) {
  const home = await temporaryDirectory()
  await chmod(home, mode)
  await mkdir(join(home, '.cache'))
  await writeFile(join(home, '.cache/token'), 'token-123456789', { mode: 0o644 })
  const command = join(home, 'helper')
  await writeFile(command, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const env = { HOME: home, TMPDIR: home, PATH: '/usr/bin:/bin' }
  const report = await checkHelper({ command, env, platform: process.platform, ...options })
  return { ...report, seen: report.verdicts.map(({ verdict, seen }) => [verdict, seen.replaceAll(home, '~')]) }
}

test.each([
  [0o755, 'fail', 'the token is in ~/.cache/token'],
  [0o700, 'warn', 'the token is in ~/.cache/token, which only a closed folder above it keeps from others'],
])('a cache from before the check that everybody can read, in a home of mode %o, is a %s', async (mode, ...row) => {
  const { seen } = await checkScript('cat "$HOME/.cache/token"', { rules: ['secret-in-files'] }, mode)
  expect(seen).toEqual([row])
})

test('a check that ends at its limit has not passed', async () => {
  const limitSec = 2
  const { result, durationMs, seen } = await checkScript(
    '[ "$VENDOR_HELPER_CONTEXT" = background ] || sleep 600\necho sk-123456',
    { limitSec, rules: ['exit-status', 'every-context', 'refresh-in-time'] },
  )
  const late = 'not tried: the check had used up its 2 s (--limit sets more)'
  expect({ result, seen }).toEqual({
    result: 'unfinished',
    seen: [
      ['pass', 'exit status 0'],
      ['not-applicable', late],
      ['not-applicable', late],
    ],
  })
  expect(durationMs).toBeLessThan(30_000)
})

/** The helpers of others have such tokens: a chain of certificates in a JWT, a ticket of a directory with many groups. */
test('a token of 64 KiB is checked in about the time of one of 1 KiB, also where each run writes to stderr', async () => {
  const durationOf = async (kib: number) => {
    const words = `head -c ${kib * 768} /dev/urandom | base64 | tr -d '\\n'`
    const before = process.cpuUsage()
    const { durationMs, verdicts } = await checkScript(`printf '{"token":"%s"}\\n' "$(${words})"; echo run $$ >&2`, {})
    const failed = verdicts.filter(({ verdict }) => verdict === 'fail').map(({ rule }) => rule)
    const { user, system } = process.cpuUsage(before)
    return { durationMs, cpuMs: (user + system) / 1000, failed }
  }
  const [short, long] = [await durationOf(1), await durationOf(63)]
  expect([short.failed, long.failed]).toEqual([[], []])
  // Far beyond the difference, and a fraction of the minutes that a search for all parts of all tokens takes.
  expect(long.durationMs).toBeLessThan(3 * short.durationMs + 45_000)
  // It may take two seconds on any machine: reading every token again for each run takes longer.
  expect(long.cpuMs - short.cpuMs).toBeLessThan(1000)
}, 400_000)

test('a process that holds the output is a verdict of the first run, although it lets go before the timeout', async () => {
  const { seen, runs, durationMs } = await checkScript('sleep 30 &\necho sk-123456', {
    rules: ['ends', 'parallel-runs'],
  })
  expect({ seen, runs }).toEqual({
    seen: [
      ['fail', 'it ended in the context background, but a process that it left behind kept its output open for 5 s'],
      ['not-applicable', 'skipped: ends failed'],
    ],
    runs: 1,
  })
  expect(durationMs).toBeLessThan(30_000)
})

/** Scripts with less common faults. Afterwards, the test looks for the processes of each by a word in their command line. */
test.each<[name: string, script: string, rule: RuleId, seen: [verdict: string, seen: string]]>([
  [
    'floods where it has a terminal',
    '[ -t 0 ] && exec tr "\\0" x </dev/zero; echo sk-123456',
    'terminal-prompt',
    ['fail', 'it printed more than a client reads with a terminal'],
  ],
  [
    'floods stderr and then says its token',
    '[ -t 0 ] && head -c 60000000 /dev/zero >&2; echo sk-123456',
    'terminal-prompt',
    ['pass', 'a token with a terminal after …'],
  ],
  [
    'leaves a daemon in a session of its own, which holds stdout',
    '(setsid sh -c "sleep 987 & :" &); echo sk-123456',
    'ends',
    ['fail', 'it ended in the context background, but a process that it left behind kept its output open for 5 s'],
  ],
  [
    'colours its token',
    "printf '\\033[32msk-123456\\033[0m\\n'",
    'output-shape',
    [
      'fail',
      'the token has a character that no header can carry, such as a dash of a word processor or a colour of a terminal',
    ],
  ],
  [
    'forks fifty children and leaves them',
    'for n in $(seq 50); do sleep 987 >/dev/null 2>&1 & done; echo sk-123456',
    'parallel-runs',
    ['pass', '11 tokens'],
  ],
])('a helper that %s has a clear verdict and leaves no process', async (_, script, rule, expected) => {
  const { seen, verdicts } = await checkScript(script, { rules: [rule] })
  expect([
    verdicts[0]?.rule,
    seen.map(([verdict, text]) => [verdict, text?.replace(/after [\d.]+ m?s$/, 'after …')]),
  ]).toEqual([rule, [expected]])
  expect(execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })).not.toMatch(/^(?:sleep 987|tr \\0 x)$/m)
})

test('a FIFO in place of a program is refused without waiting for a writer', async () => {
  const directory = await temporaryDirectory()
  const command = join(directory, 'helper')
  execFileSync('mkfifo', [command])
  const report = await checkHelper({
    command,
    env: { PATH: '/usr/bin:/bin' },
    platform: process.platform,
    rules: ['starts'],
  })
  expect(report.verdicts.map(({ verdict, seen }) => [verdict, seen])).toEqual([
    ['fail', 'it cannot be started (EACCES) in the context background'],
  ])
})

test('a check says what it waits for', async () => {
  const told: CheckProgress[] = []
  await checkScript('sleep 1.5\necho sk-123456', { rules: ['starts'], onProgress: (progress) => told.push(progress) })
  const waitingFor = [{ title: 'in the context background', forSec: 1, atMostSec: 60 }]
  expect(told).toEqual([
    { done: 0, steps: 1, waitingFor: [] },
    { done: 0, steps: 1, waitingFor },
    { done: 1, steps: 1, waitingFor: [] },
  ])
})
