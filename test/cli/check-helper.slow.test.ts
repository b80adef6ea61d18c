import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { bundlePath, root } from '../../pkg-scripts/tree.ts'
import { listRules } from '../../src/client/check/rules/rules.ts'
import { clients } from '../../src/contract/clients.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

const gallery = (file: string) => join(root, 'test/gallery', file)

const rules = listRules(clients.desktop).length

const setLine =
  'set for its runs: PATH, BROWSER, HELPER_CHECK_RUN, VENDOR_HELPER_CONTEXT, VENDOR_HELPER_MANUAL_RUN, GATEPASS_REFRESH_CAUSE'

async function check(...argv: string[]) {
  const env = { HOME: await temporaryDirectory(), PATH: '/usr/bin:/bin' }
  return runBundle('gatepass', { argv: ['check-helper', ...argv], env })
}

test('a helper that keeps the rules passes, with a line for each', async () => {
  const path = gallery('good.sh')
  const { stdout, ...rest } = await check('--rule', 'output-alone', '--rule', 'headers', path)
  expect(rest).toEqual({ status: 0, stderr: '' })
  expect(stdout.replace(/in \d+ s/, 'in N s')).toBe(`${path}
${setLine}

pass  output-alone  stdout holds the output alone
pass  headers       there are none

2 rules: 2 passed. 5 runs in N s.
`)
})

test('a check that was ended by its limit is not a success', async () => {
  const path = join(await temporaryDirectory(), 'helper')
  await writeFile(path, '#!/bin/sh\nsleep 600\n', { mode: 0o755 })
  const { stdout, ...rest } = await check('--limit', '1', '--rule', 'exit-status', path)
  expect(rest).toEqual({ status: 7, stderr: '' })
  expect(stdout.replace(/in \d+ s/, 'in N s')).toBe(`${path}
${setLine}

n/a   exit-status  not tried: the check had used up its 1 s (--limit sets more)

1 rule: 1 not applicable. 0 runs in N s. Not finished: the limit is 1 s.
`)
})

test('one run at a time makes more of them, with the same verdicts', async () => {
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

test('a failed rule comes with what was seen, how to fix it and where to read more', async () => {
  const path = gallery('output/credential-process.sh')
  const { stdout, ...rest } = await check('--rule', 'output-shape', '--rule', 'token-life', path)
  expect(rest).toEqual({ status: 1, stderr: '' })
  expect(stdout.replace(/in \d+ s/, 'in N s')).toBe(`${path}
${setLine}

n/a   token-life    skipped: output-shape failed
FAIL  output-shape  stdout is an AWS credential_process document, which has no "token"
      expected: it prints one bare token, or one JSON object with \`token\`
      → print {"token": "…"} on one line, and the token itself in it
      see docs/check-helper.md#output-shape

2 rules: 1 failed, 1 not applicable. 1 run in N s.
`)
})

test('a warning is not a failure', async () => {
  const outcome = await check('--rule', 'output-alone', gallery('output/banner.sh'))
  expect(outcome).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('WARN  output-alone  text stands before'),
  })
})

test('--json is one document with the same verdicts', async () => {
  const { status, stdout, stderr } = await check(
    '--json',
    '--rule',
    'exit-status',
    gallery('launch/wrong-status.sh'),
    'x',
  )
  expect({ status, stderr, report: JSON.parse(stdout) }).toEqual({
    status: 1,
    stderr: '',
    report: {
      status: 1,
      client: 'desktop',
      command: gallery('launch/wrong-status.sh'),
      args: ['x'],
      result: 'failed',
      isFinished: true,
      verdicts: [
        {
          rule: 'exit-status',
          verdict: 'fail',
          proves: 'it ends with exit status 0 when it has a token',
          seen: 'it failed with exit status 3 in the context background, with nothing on stderr',
          hint: 'read its message above; if a person has to sign in first, do that once and check again',
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

test('options behind the command are the helper’s', async () => {
  const outcome = await check('--rule', 'without-arguments', gallery('environment/needs-arguments.sh'), '--team', 'red')
  expect(outcome).toMatchObject({ status: 0, stdout: expect.stringContaining('needs-arguments.sh --team red') })
})

test('a path from here is taken from here, and a name is looked for on PATH', async () => {
  const outcome = await check('--rule', 'command-line', 'printf')
  expect(outcome).toMatchObject({ status: 0, stdout: expect.stringMatching(/^(\/usr)?\/bin\/printf\n/) })
})

test.each<[what: string, argv: string[], seen: string]>([
  ['a name that is nowhere', ['no-such-helper'], 'the command is not an absolute path'],
  ['a tilde', ['~/helper'], 'the command is not an absolute path'],
  ['a network path', ['//server/share/helper'], 'the command is a network path'],
  ['an argument that Windows would read', ['/opt/helper', '%USER%'], 'argument 1 is longer than 1024 characters'],
  ['a relative Windows path', ['\\\\server\\helper.exe'], 'the command is a network path'],
])('%s is what no client starts, and nothing is run', async (_, argv, seen) => {
  const outcome = await check(...argv)
  expect(outcome).toMatchObject({ status: 1, stdout: expect.stringContaining(`FAIL  command-line  ${seen}`) })
  expect(outcome.stdout).toContain(`${rules} rules: 1 failed, ${rules - 1} not applicable. 0 runs`)
})

test('a Windows path is judged by the rules of Windows, and not run elsewhere', async () => {
  const outcome = await check('C:\\Program Files\\h.ps1')
  expect(outcome).toMatchObject({ status: 0, stdout: expect.stringContaining('started through powershell.exe') })
  expect(outcome.stdout).toContain(`1 passed, ${rules - 1} not applicable. 0 runs`)
})

test.each<[argv: string[], message: string]>([
  [[], "gatepass: missing required argument 'command'"],
  [['--rule', 'no-such-rule', '/h'], 'there is no such rule'],
  [['--ttl', 'soon', '/h'], 'expected a number of seconds above 0'],
  [['--limit', '86401', '/h'], 'a check takes a day at most'],
  [['--limit', '0', '/h'], 'expected a number of seconds above 0'],
  [['--timeout', '601', '/h'], 'a client waits 600 s at most'],
])('%j is a usage error', async (argv, message) => {
  expect(await check(...argv)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(message) })
})

test('--clean-env keeps from the helper what a desktop does not have', async () => {
  const path = join(await temporaryDirectory(), 'helper')
  await writeFile(path, '#!/bin/sh\n[ -z "$EXTRA" ] && echo token-123456\n', { mode: 0o755 })
  const run = (...options: string[]) => {
    const env = { HOME: '/', PATH: '/usr/bin:/bin', EXTRA: 'x' }
    return runBundle('gatepass', { argv: ['check-helper', '--rule', 'exit-status', ...options, path], env })
  }
  expect([await run(), await run('--clean-env')]).toMatchObject([{ status: 1 }, { status: 0 }])
})

test('an interrupt ends every process, also those that went into a session of their own', async () => {
  const directory = await temporaryDirectory()
  const path = join(directory, 'helper')
  await writeFile(path, `#!/bin/sh\nsetsid sleep 987 &\nsleep 988\n`, { mode: 0o755 })
  const argv = [bundlePath('gatepass'), 'check-helper', path]
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
