import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { readCommit } from '../../pkg-scripts/commit.ts'
import { importHelper, listHelpers, toBundlePath } from '../../pkg-scripts/tree.ts'
import { type ClientContext, helperContexts } from '../../src/contract/context.ts'
import { toContextVariables } from '../../src/contract/detect-context.ts'
import { outputFormats } from '../../src/contract/output-format.ts'
import { digestNames } from '../../src/runtime/digest.ts'
import { vendor } from '../../src/vendor.ts'
import { version } from '../../src/version.ts'
import { runBundle } from '../setup/run-bundle.ts'
import { fails, type Outcome, prints, type RunOptions } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listTestedHelpers } from '../setup/tested-helpers.ts'

test('there are helpers to test', () => {
  expect(listHelpers()).not.toEqual([])
})

describe.each(listTestedHelpers(['oidc-token', 'workload-token']))('%s', async (name) => {
  const { configuration = 'required', facts, summary } = await importHelper(name)

  /** Returns a home without any configuration, on a machine without instance metadata. */
  const emptyDesk = async () => ({ HOME: await temporaryDirectory(), AWS_EC2_METADATA_DISABLED: 'true' })

  const run = async ({ env, ...options }: RunOptions = {}) =>
    runBundle(name, { ...options, env: { ...(await emptyDesk()), ...env } })

  const usageError = (message: string, hint: string) => fails(name, 2, message, hint)

  /** Nothing on stdout, and on stderr one message with one hint and not a byte more. */
  const refusal = {
    status: expect.toSatisfy((status) => typeof status === 'number' && status > 1, 'a status above 1'),
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${name}: (?!hint: |warning: ).+\\n${name}: hint: .+\\n$`)),
  }

  const document = expect.stringMatching(/^\{"token":".+\}\n$/)
  const token = prints(document, expect.stringMatching(new RegExp(`^(${name}: warning: .+\n)*$`)))

  /** A run without any configuration fails, unless the declaration says that it may get a token. */
  const unconfigured = configuration === 'required' ? refusal : expect.toBeOneOf([refusal, token])

  /** Runs the bundle with stdin closed, as only a shell can start it. */
  const runWithoutStdin = async (env: Record<string, string>): Promise<Outcome> => {
    const command = ['-c', 'exec "$0" "$@" <&-', process.execPath, toBundlePath(name)]
    const options = { env, extendEnv: false, reject: false, stripFinalNewline: false, cwd: '/' } as const
    const { exitCode = 'killed', stdout, stderr } = await execa('/bin/sh', command, options)
    return { status: exitCode, stdout, stderr }
  }

  const names = `for ${vendor.name}, names ${digestNames(vendor)}`
  const printedVersion = `${name} ${version} (commit ${readCommit()}, runtime ${process.versions.node}, ${names})\n`

  test('--help and -h print the same page on stdout, with every way to set and to fail', async () => {
    const env = await emptyDesk()
    const [first, second] = await Promise.all(['--help', '-h'].map((flag) => runBundle(name, { argv: [flag], env })))
    const [title] = first?.stdout.split('\n') ?? []
    const parts = ['Options\n', 'GATEPASS_CLIENT_TTL', join(env.HOME, '.'), `${name}.json`, 'Exit status\n']
    const missing = parts.filter((part) => !first?.stdout.includes(part))
    expect({ first: { ...first, stdout: title }, missing, second }).toEqual({
      first: { status: 0, stdout: `${name}: ${summary}`, stderr: '' },
      missing: [],
      second: first,
    })
  })

  test.each(['--version', '-V'])('%s is one line on stdout', async (flag) => {
    expect(await run({ argv: [flag] })).toEqual(prints(printedVersion))
  })

  const headerForm = `write each header as 'Name: value'; see: ${name} --help`
  const knownFacts = facts.length === 0 ? 'no facts' : `only ${facts.map((fact) => `{${fact}}`).join(', ')}`

  test.each<[argv: readonly string[], message: string, hint?: string]>([
    [['--no-such-option'], 'unknown option --no-such-option'],
    [['--no-such-option=sk-1'], 'unknown option --no-such-option'],
    [['sk-1'], 'unexpected argument (options start with "--")'],
    [['--client-ttl'], '--client-ttl needs a value'],
    [['--client-ttl', 'sk-1'], '--client-ttl: expected a whole number of seconds'],
    [['--client-timeout', '601'], '--client-timeout: expected at most 600 seconds'],
    [['--format', 'xml'], `--format: expected one of ${outputFormats.join(', ')}`],
    [
      ['--header', 'Authorization: sk-1'],
      'header: "Authorization" belongs to the client and cannot be set',
      'remove the headers that the client sends itself',
    ],
    [
      ['--header', 'X-Team: a', '--header', 'x-team: sk-1'],
      'header: "X-Team" and "x-team" differ in case only',
      headerForm,
    ],
    [
      ['--header', 'X-Team: {no_such_fact}'],
      `header: "X-Team" asks for {no_such_fact}, but this helper knows ${knownFacts}`,
      headerForm,
    ],
    [
      ['--header', 'X-Team: a\nX-Other: sk-1'],
      'header: the value of "X-Team" has a character beyond visible ASCII and spaces',
      headerForm,
    ],
    [
      ['--header', 'X-Team:', 'sk-1'],
      '--header is followed by more than one argument: write the whole header in quotes, as in --header "X-Team: {account}"',
    ],
  ])('%j is a usage error that repeats no value', async (argv, message, hint = `see: ${name} --help`) => {
    expect(await run({ argv })).toEqual(usageError(message, hint))
  })

  test('a variable that cannot be read is a usage error', async () => {
    expect(await run({ env: { GATEPASS_CLIENT_TTL: 'soon' } })).toEqual(
      usageError(
        'GATEPASS_CLIENT_TTL: expected a whole number of seconds',
        `correct the environment, or see: ${name} --help`,
      ),
    )
  })

  test.each<ClientContext>(helperContexts)(
    'without any configuration it fails in the context %s, or is declared to work',
    async (context) => {
      expect(await run({ env: toContextVariables(context) })).toEqual(unconfigured)
    },
  )

  test.each(['a-context-of-next-year', ''])(
    'without any configuration it fails in the context %j, or is declared to work',
    async (context) => {
      expect(await run({ env: { [vendor.contextVariable]: context } })).toEqual(unconfigured)
    },
  )

  test('it runs without stdin, PATH and a current directory', async () => {
    const env = await emptyDesk()
    const outcome = await runBundle(name, { env })
    expect(await runWithoutStdin(env)).toEqual({ ...outcome, stdout: outcome.status === 0 ? document : '' })
  })

  test('it runs without HOME', async () => {
    // A helper that gets a token keeps it, and what this run keeps does not belong into the home of whoever tests.
    const { HOME: cache, ...homeless } = await emptyDesk()
    expect(await runBundle(name, { env: { ...homeless, XDG_CACHE_HOME: cache } })).toEqual(unconfigured)
  })

  test('a closed stdout fails the run with a message', async () => {
    const child = spawn(process.execPath, [toBundlePath(name), '--help'], { env: await emptyDesk() })
    child.stdout.destroy()
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stderr }).toEqual({
      status: 74,
      stderr: `${name}: stdout cannot be written (EPIPE)\n${name}: hint: have the program that starts this read stdout to its end\n`,
    })
  })

  test('a closed stderr changes no status', async () => {
    const env = await emptyDesk()
    const { status } = await runBundle(name, { env })
    const child = spawn(process.execPath, [toBundlePath(name)], { env })
    child.stderr.destroy()
    const [stdout, [endedWith]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect({ stdout, endedWith }).toEqual({ stdout: status === 0 ? document : '', endedWith: status })
  })

  test('warnings of the runtime and of libraries never reach stderr', async () => {
    const preload = join(await temporaryDirectory(), 'warn.cjs').replaceAll('\\', '\\\\')
    const warn = "process.emitWarning('old', 'DeprecationWarning', 'DEP9999')"
    await writeFile(preload, `${warn}\nsetImmediate(() => { ${warn.replace('9999', '9998')}; new Buffer(1) })\n`)
    const env = { NODE_OPTIONS: `--trace-warnings --pending-deprecation --require "${preload}"` }
    expect([await run({ argv: ['--version'], env }), await run({ env })]).toEqual([
      { status: 0, stdout: printedVersion, stderr: '' },
      unconfigured,
    ])

    // The same preload does warn where nobody holds it back.
    const { stderr } = await execa(process.execPath, ['-e', ''], { env, extendEnv: false })
    expect(stderr.match(/DEP\d+/g)).toEqual(['DEP9999', 'DEP9998', 'DEP0005'])
  })
})
