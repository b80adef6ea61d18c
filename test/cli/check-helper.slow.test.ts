import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { root, toBundlePath } from '../../pkg-scripts/tree.ts'
import { listRules, ruleIds } from '../../src/client/check/rules/rules.ts'
import { clients } from '../../src/contract/clients.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { prints } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { toStableValue } from '../setup/to-stable-text.ts'

const gallery = (file: string) => join(root, 'test/gallery/', file)

const rules = listRules(clients.desktop)

const setLine =
  'set for its runs: PATH, BROWSER, HELPER_CHECK_RUN, VENDOR_HELPER_CONTEXT, VENDOR_HELPER_MANUAL_RUN, GATEPASS_REFRESH_CAUSE'

/** Returns the whole outcome of a check, with words for the durations and for a path into the gallery. */
async function check(...argv: string[]) {
  const env = { HOME: await temporaryDirectory(), PATH: '/usr/bin:/bin' }
  const outcome = await runBundle('gatepass', { argv: ['check-helper', ...argv], env })
  return toStableValue(outcome, { [gallery('')]: 'GALLERY/' })
}

/** Returns the rows of the rules that were tried, and what follows them. */
function triedIn(stdout: string): string[] {
  return stdout
    .trimEnd()
    .split('\n')
    .slice(3)
    .filter((row) => !row.startsWith('n/a'))
}

test('a helper that keeps the rules passes, with a line for each', async () => {
  expect(await check('--rule', 'output-alone', '--rule', 'headers', gallery('good.sh'))).toEqual(
    prints(`GALLERY/good.sh
${setLine}

pass  output-alone  stdout holds the output alone
pass  headers       there are none

2 rules: 2 passed. 5 runs in N s.
`),
  )
})

test('a check that was ended by its limit is not a success', async () => {
  const path = join(await temporaryDirectory(), 'helper')
  await writeFile(path, '#!/bin/sh\nsleep 600\n', { mode: 0o755 })
  expect(await check('--limit', '1', '--rule', 'exit-status', path)).toEqual({
    status: 7,
    stdout: `TEMPORARY/helper
${setLine}

n/a   exit-status  not tried: the check had used up its 1 s (--limit sets more)

1 rule: 1 not applicable. 0 runs in N s. Not finished: the limit is 1 s.
`,
    stderr: '',
  })
})

test('--one-at-a-time needs more runs, and has the same verdicts', async () => {
  const path = join(await temporaryDirectory(), 'helper')
  // Slow enough to be killed in the middle on a busy machine.
  await writeFile(path, '#!/bin/sh\nsleep 0.2\necho "sk-$(od -An -N12 -tx1 /dev/urandom | tr -d " ")"\n', {
    mode: 0o755,
  })
  const runsOf = async (...options: string[]) => {
    const { status, stdout } = await check('--json', '--rule', 'after-kill', ...options, path)
    const { runs, verdicts } = JSON.parse(stdout)
    return { status, runs, verdicts: verdicts.map((row: { verdict: string }) => row.verdict) }
  }
  const [atOnce, alone] = [await runsOf(), await runsOf('--one-at-a-time')]
  expect([atOnce, alone]).toEqual([
    { status: 0, runs: 23, verdicts: ['pass'] },
    { status: 0, runs: 27, verdicts: ['pass'] },
  ])
})

test('a failed rule is printed with what was seen, how to fix it and where to read more', async () => {
  const path = gallery('output/credential-process.sh')
  expect(await check('--rule', 'output-shape', '--rule', 'token-life', path)).toEqual({
    status: 1,
    stdout: `GALLERY/output/credential-process.sh
${setLine}

n/a   token-life    skipped: output-shape failed
FAIL  output-shape  stdout is an AWS credential_process document, which has no "token"
      expected: it prints one bare token, or one JSON object with \`token\`
      → print {"token": "…"} on one line, and the token itself in it
      see docs/check-helper.md#output-shape

2 rules: 1 failed, 1 not applicable. 1 run in N s.
`,
    stderr: '',
  })
})

test('a warning is not a failure', async () => {
  expect(await check('--rule', 'output-alone', gallery('output/banner.sh'))).toEqual({
    status: 0,
    stderr: '',
    stdout: `\
GALLERY/output/banner.sh
${setLine}

WARN  output-alone  text stands before the JSON object
      expected: nothing stands before or after the output
      → print nothing else on stdout: what is for people belongs on stderr, and only when something is wrong
      see docs/check-helper.md#output-alone

1 rule: 1 warned. 5 runs in N s.
`,
  })
})

test('--json is one document with the same verdicts', async () => {
  const argv = ['--json', '--rule', 'exit-status', gallery('launch/wrong-status.sh'), 'x']
  const { status, stdout, stderr } = await check(...argv)
  expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
    status: 1,
    stderr: '',
    report: {
      status: 1,
      client: 'desktop',
      command: 'GALLERY/launch/wrong-status.sh',
      args: ['x'],
      result: 'failed',
      isFinished: true,
      verdicts: [
        {
          rule: 'exit-status',
          verdict: 'fail',
          proves: 'it ends with exit status 0 when it has a token',
          seen: 'it failed with exit status 3 in the context background, with nothing on stderr',
          hint: 'run it in a terminal to see why, and have it say so on stderr; if a person has to sign in first, do that once and check again',
          page: 'docs/check-helper.md#exit-status',
        },
      ],
      sets: setLine.replace('set for its runs: ', '').split(', '),
      runs: expect.any(Number),
      durationMs: expect.any(Number),
      limitSec: 180,
    },
  })
})

test('options after the command belong to the helper', async () => {
  const path = gallery('environment/needs-arguments.sh')
  expect(await check('--rule', 'without-arguments', path, '--team', 'red')).toEqual({
    status: 0,
    stderr: '',
    stdout: `\
GALLERY/environment/needs-arguments.sh --team red
${setLine}

WARN  without-arguments  it failed with exit status 2 without arguments; on stderr: usage: needs-arguments --team NAME
      expected: it works without arguments, which older clients do not pass
      → take the same settings from a file or the environment
      see docs/check-helper.md#without-arguments

1 rule: 1 warned. 6 runs in N s.
`,
  })
})

test('a name is looked for on PATH', async () => {
  const { stdout, ...rest } = await check('--rule', 'command-line', 'printf')
  // If /bin is a link, either name is right.
  expect({ ...rest, stdout: stdout.replaceAll(/^\/usr(?=\/bin)/gm, '') }).toEqual({
    status: 0,
    stderr: '',
    stdout: `\
/bin/printf
${setLine}

pass  command-line  started directly, with 0 arguments

1 rule: 1 passed. 0 runs in N s.
`,
  })
})

test.each<[what: string, argv: string[], seen: string]>([
  ['a name that is nowhere', ['no-such-helper'], 'the command is not an absolute path'],
  ['a tilde', ['~/helper'], 'the command is not an absolute path'],
  ['a network path', ['//server/share/helper'], 'the command is a network path'],
  [
    'an argument that Windows would read',
    ['/opt/helper', '%USER%'],
    'argument 1 is longer than 1024 characters or holds ", % or a control character',
  ],
  ['a relative Windows path', ['\\\\server\\helper.exe'], 'the command is a network path'],
])('%s is refused without a run, because no client starts it', async (_, argv, seen) => {
  const { status, stdout, stderr } = await check(...argv)
  const rows = [
    `FAIL  command-line  ${seen}`,
    '      expected: a client can start this path with these arguments',
    '      → name an absolute path, and put every argument into the list of arguments',
    '      see docs/check-helper.md#command-line',
    '',
    `${rules.length} rules: 1 failed, ${rules.length - 1} not applicable. 0 runs in N s.`,
  ]
  expect({ status, rows: triedIn(stdout), stderr }).toEqual({ status: 1, rows, stderr: '' })
})

test('a Windows path is checked by the rules of Windows without being run', async () => {
  const { status, stdout, stderr } = await check('C:\\Program Files\\h.ps1')
  expect({ status, rows: triedIn(stdout), stderr }).toEqual({
    status: 0,
    rows: [
      'pass  command-line  started through powershell.exe, with 0 arguments',
      '',
      `${rules.length} rules: 1 passed, ${rules.length - 1} not applicable. 0 runs in N s.`,
    ],
    stderr: '',
  })
})

test.each<[argv: string[], message: string]>([
  [[], "missing required argument 'command'"],
  [
    ['--rule', 'no-such-rule', '/h'],
    `option '--rule <id>' argument 'no-such-rule' is invalid. there is no such rule. Rules: ${ruleIds.join(', ')}.`,
  ],
  [
    ['--ttl', 'soon', '/h'],
    "option '--ttl <seconds>' argument 'soon' is invalid. expected a number of seconds above 0.",
  ],
  [['--limit', '86401', '/h'], "option '--limit <seconds>' argument '86401' is invalid. a check takes a day at most."],
  [['--limit', '0', '/h'], "option '--limit <seconds>' argument '0' is invalid. expected a number of seconds above 0."],
  [['--timeout', '601', '/h'], "option '--timeout <seconds>' argument '601' is invalid. a client waits 600 s at most."],
])('%j is a usage error', async (argv, message) => {
  const stderr = `gatepass: ${message}\ngatepass: hint: see: gatepass check-helper --help\n`
  expect(await check(...argv)).toEqual({ status: 2, stdout: '', stderr })
})

test('--clean-env hides from the helper what a desktop does not have', async () => {
  const path = join(await temporaryDirectory(), 'helper')
  await writeFile(path, '#!/bin/sh\n[ -z "$EXTRA" ] && echo token-123456\n', { mode: 0o755 })
  const run = (...options: string[]) => {
    const env = { HOME: '/', PATH: '/usr/bin:/bin', EXTRA: 'x' }
    return runBundle('gatepass', { argv: ['check-helper', '--rule', 'exit-status', ...options, path], env })
  }
  expect([await run(), await run('--clean-env')].map((outcome) => toStableValue(outcome))).toEqual([
    {
      status: 1,
      stderr: '',
      stdout: `\
TEMPORARY/helper
${setLine}

FAIL  exit-status  it failed with exit status 1 in the context background, with nothing on stderr
      expected: it ends with exit status 0 when it has a token
      → run it in a terminal to see why, and have it say so on stderr; if a person has to sign in first, do that once and check again
      see docs/check-helper.md#exit-status

1 rule: 1 failed. 1 run in N s.
`,
    },
    {
      status: 0,
      stderr: '',
      stdout: `\
TEMPORARY/helper
${setLine}

pass  exit-status  exit status 0

1 rule: 1 passed. 5 runs in N s.
`,
    },
  ])
})

test('an interrupt ends every process, also those with a session of their own', async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'helper')
  await writeFile(path, `#!/bin/sh\nsetsid sleep 987 &\nsleep 988\n`, { mode: 0o755 })
  const argv = [toBundlePath('gatepass'), 'check-helper', path]
  const child = spawn(process.execPath, argv, { env: { HOME: directory, PATH: '/usr/bin:/bin' } })
  await expect.poll(() => sleepersOf(directory).toSorted()).toEqual(['sleep\x00987\x00', 'sleep\x00988\x00'])
  child.kill('SIGINT')
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  expect({ status, stdout, stderr, left: sleepersOf(directory) }).toEqual({
    status: 130,
    stdout: '',
    stderr: '',
    left: [],
  })
})

/** Processes with this home, by what they were started as. */
function sleepersOf(home: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && readProcess(name, 'environ').includes(`HOME=${home}\0`))
    .map((pid) => readProcess(pid, 'cmdline'))
    .filter((line) => line.includes('sleep'))
}

function readProcess(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // ended meanwhile
  }
}
