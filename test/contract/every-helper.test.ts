import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { bundlePath, importHelper, listHelpers } from '../../pkg-scripts/tree.ts'
import { type ClientContext, helperContexts } from '../../src/contract/context.ts'
import { toContextVariables } from '../../src/contract/detect-context.ts'
import { vendor } from '../../src/vendor.ts'
import { version } from '../../src/version.ts'
import { runBundle } from '../setup/run-bundle.ts'
import type { Outcome, RunOptions } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { listTestedHelpers } from '../setup/tested-helpers.ts'

test('there are helpers to test', () => {
  expect(listHelpers()).not.toEqual([])
})

describe.each(listTestedHelpers(['oidc-token', 'workload-token']))('%s', async (name) => {
  const { configuration = 'required' } = await importHelper(name)

  /** A home without any configuration, on a machine without instance metadata. */
  const emptyDesk = async () => ({ HOME: await temporaryDirectory(), AWS_EC2_METADATA_DISABLED: 'true' })

  const run = async ({ env, ...options }: RunOptions = {}) =>
    runBundle(name, { ...options, env: { ...(await emptyDesk()), ...env } })

  /** Nothing on stdout, and on stderr one message with one hint and not a byte more. */
  const refusal = (status: unknown) => ({
    status,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^${name}: (?!hint: |warning: ).+\\n${name}: hint: .+\\n$`)),
  })
  const failure = expect.toSatisfy((status) => typeof status === 'number' && status > 1, 'a status above 1')

  const document = expect.stringMatching(/^\{"token":".+\}\n$/)
  const token = {
    status: 0,
    stdout: document,
    stderr: expect.stringMatching(new RegExp(`^(${name}: warning: .+\n)*$`)),
  }

  /** A run without any configuration fails, unless the declaration says that it may get a token. */
  const unconfigured = configuration === 'required' ? refusal(failure) : expect.toBeOneOf([refusal(failure), token])

  /** Runs the bundle with stdin closed, as only a shell can start it. */
  const runWithoutStdin = async (env: Record<string, string>): Promise<Outcome> => {
    const command = ['-c', 'exec "$0" "$@" <&-', process.execPath, bundlePath(name)]
    const options = { env, extendEnv: false, reject: false, stripFinalNewline: false, cwd: '/' } as const
    const { exitCode = 'killed', stdout, stderr } = await execa('/bin/sh', command, options)
    return { status: exitCode, stdout, stderr }
  }

  test('--help and -h are on stdout, the same each time, and names every way to set and to fail', async () => {
    const env = await emptyDesk()
    const [first, second] = await Promise.all(['--help', '-h'].map((flag) => runBundle(name, { argv: [flag], env })))
    expect(first).toEqual({ status: 0, stdout: expect.stringMatching(new RegExp(`^${name}: .+\\n`)), stderr: '' })
    expect(second).toEqual(first)
    const parts = ['Options\n', 'GATEPASS_CLIENT_TTL', join(env.HOME, '.'), `${name}.json`, 'Exit status\n']
    expect(parts.filter((part) => !first?.stdout.includes(part))).toEqual([])
  })

  test.each(['--version', '-V'])('%s is one line on stdout', async (flag) => {
    expect(await run({ argv: [flag] })).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        new RegExp(
          `^${name} ${RegExp.escape(version)} \\(commit \\S+, runtime [\\d.]+, for ${vendor.name}, names [0-9a-f]{8}\\)\\n$`,
        ),
      ),
      stderr: '',
    })
  })

  test.each<[argv: string[]]>([
    [['--no-such-option']],
    [['--no-such-option=sk-1']],
    [['sk-1']],
    [['--client-ttl']],
    [['--client-ttl', 'sk-1']],
    [['--client-timeout', '601']],
    [['--format', 'xml']],
    [['--header', 'Authorization: sk-1']],
    [['--header', 'X-Team: a', '--header', 'x-team: sk-1']],
    [['--header', 'X-Team: {no_such_fact}']],
    [['--header', 'X-Team: a\nX-Other: sk-1']],
    [['--header', 'X-Team:', 'sk-1']],
  ])('%j is a usage error that repeats no value', async (argv) => {
    const outcome = await run({ argv })
    expect(outcome).toEqual(refusal(2))
    expect(outcome.stderr).not.toContain('sk-1')
  })

  test('a variable that cannot be read is a usage error', async () => {
    expect(await run({ env: { GATEPASS_CLIENT_TTL: 'soon' } })).toEqual(refusal(2))
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

  test('it runs without stdin, HOME, PATH and a current directory', async () => {
    const env = await emptyDesk()
    const outcome = await runBundle(name, { env })
    expect(outcome).toEqual(unconfigured)
    expect(await runWithoutStdin(env)).toEqual({ ...outcome, stdout: outcome.status === 0 ? document : '' })
    expect(await runBundle(name, { env: { AWS_EC2_METADATA_DISABLED: 'true' } })).toEqual(unconfigured)
  })

  test('a reader of stdout that went away fails the run with a message', async () => {
    const child = spawn(process.execPath, [bundlePath(name), '--help'], { env: await emptyDesk() })
    child.stdout.destroy()
    const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    expect({ status, stdout: '', stderr }).toEqual(refusal(failure))
    expect(stderr).toContain('EPIPE')
  })

  test('a reader of stderr that went away changes no status', async () => {
    const env = await emptyDesk()
    const { status } = await runBundle(name, { env })
    const child = spawn(process.execPath, [bundlePath(name)], { env })
    child.stderr.destroy()
    const [stdout, [endedWith]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect({ stdout, endedWith }).toEqual({ stdout: status === 0 ? document : '', endedWith: status })
  })

  test('warnings of the runtime and of libraries never reach stderr', async () => {
    const preload = join(await temporaryDirectory(), 'warn.cjs').replaceAll('\\', '\\\\')
    const warn = "process.emitWarning('old', 'DeprecationWarning', 'DEP9999')"
    await writeFile(preload, `${warn}\nsetImmediate(() => { ${warn.replace('9999', '9998')}; new Buffer(1) })\n`)
    const env = { NODE_OPTIONS: `--trace-warnings --pending-deprecation --require "${preload}"` }
    expect(await run({ argv: ['--version'], env })).toMatchObject({ status: 0, stderr: '' })
    expect(await run({ env })).toEqual(unconfigured)

    // The same preload does warn where nobody holds it back.
    const bare = await execa(process.execPath, ['-e', ''], { env, extendEnv: false })
    expect(bare.stderr).toContain('DEP9999')
  })
})
