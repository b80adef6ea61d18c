import { expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { type AnyHelper, defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import type { SignIn } from '../../../src/helper/sign-in.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const expired = new HelperError('sign-in-required', 'the session expired', 'renew it')
const denied = new HelperError('refused', 'it was denied', 'allow it')

interface Door {
  /** What each mint gives, one after the other. */
  readonly mints: readonly (string | HelperError)[]
  readonly isDone?: boolean
  readonly complete?: () => Promise<number>
  /** `false` for a plan in which nobody signs in. */
  readonly signsIn?: boolean
}

/** A helper whose source and sign-in say what a test says, and what was done in which order. */
function createDoor({ mints, isDone = false, complete = async () => testNow, signsIn = true }: Door) {
  const done: string[] = []
  const rest = [...mints]
  const signIn: SignIn = {
    isDone: async () => isDone,
    complete: () => {
      done.push('sign-in')
      return complete()
    },
    perform: async () => void done.push('command'),
  }
  const helper = defineHelper({
    summary: 'open a door',
    options: { door: { value: 'text', summary: 'which' } },
    facts: [],
    plan: async () => ({ inputs: {}, steps: [] }),
    mint: async () => {
      done.push('mint')
      const next = rest.shift()
      if (typeof next !== 'string') throw next ?? new Error('one mint too many')
      return { token: new Secret(next), expiresAt: new Date(testNow + 7_200_000), facts: {} }
    },
    signIn: async () => (signsIn ? signIn : undefined),
  })
  return { helper: helper as AnyHelper, done }
}

async function run({ helper }: { helper: AnyHelper }, argv: string[] = [], context = 'interactive' as const) {
  return runIn(helper, argv, toContextVariables(context))
}

async function runIn(helper: AnyHelper, argv: readonly string[], env: Record<string, string>) {
  const host = await testHost({ argv, env })
  const { status } = await runHelper('door', helper, host)
  return { status, ...host.written }
}

const printed = { status: 0, stdout: '{"token":"t"}\n', stderr: '' }
const failed = (status: number, message: string, hint: string) => ({
  ...{ status, stdout: '' },
  stderr: `door: ${message}\ndoor: hint: ${hint}\n`,
})

test.each<[what: string, door: Door, done: string[]]>([
  ['is signed in', { mints: ['t'] }, ['mint']],
  ['is not signed in', { mints: [expired, 't'] }, ['mint', 'sign-in', 'mint']],
  ['has been signed in by another run meanwhile', { mints: [expired, 't'], isDone: true }, ['mint', 'mint']],
  [
    'is signed in with what the source refuses',
    { mints: [expired, expired, 't'], isDone: true },
    ['mint', 'mint', 'sign-in', 'mint'],
  ],
])('a run of a person who %s prints a token', async (_, parts, done) => {
  const door = createDoor(parts)
  expect([await run(door), door.done]).toEqual([printed, done])
})

test.each<[what: string, door: Door, outcome: ReturnType<typeof failed>]>([
  [
    'the person denies it',
    { mints: [expired], complete: () => Promise.reject(denied) },
    failed(5, 'it was denied', 'allow it'),
  ],
  [
    'the source refuses the new sign-in, too',
    { mints: [expired, expired] },
    failed(4, 'the session expired', 'renew it'),
  ],
  ['no sign-in helps', { mints: [expired], signsIn: false }, failed(4, 'the session expired', 'renew it')],
  ['something else failed', { mints: [denied] }, failed(5, 'it was denied', 'allow it')],
])('it fails where %s', async (_, parts, outcome) => {
  expect(await run(createDoor(parts))).toEqual(outcome)
})

test.each<[env: Record<string, string>, argv: string[], command: string]>([
  [toContextVariables('mid-session-refresh'), [], 'door sign-in'],
  [toContextVariables('background'), ['--door', 'front/1'], 'door sign-in --door front/1'],
  [toContextVariables('setup-test'), ['--door', 'a b'], 'door sign-in --door "a b"'],
  [{}, ['--door', 'https://id.example.com:8443/tenant'], 'door sign-in --door https://id.example.com:8443/tenant'],
  ...['https://dana:canary@id.example', 'https://id.example/?key=canary', '$(canary)', "a'b"].map(
    (door): [Record<string, string>, string[], string] => [
      {},
      ['--door', door],
      'door sign-in, with the options of this run',
    ],
  ),
  [{}, ['--header', 'X-Key: canary'], 'door sign-in, with the options of this run'],
  [{}, ['--proxy', 'http://dana:canary@proxy.example'], 'door sign-in, with the options of this run'],
  [{}, [], 'door sign-in'],
])('where nobody may be asked (%j) nothing is started, and the hint says what signs in', async (env, argv, command) => {
  const door = createDoor({ mints: [expired] })
  const hint = `start a new session, which lets a person sign in, or run: ${command}`
  expect([await runIn(door.helper, argv, env), door.done]).toEqual([failed(4, 'the session expired', hint), ['mint']])
})

test('the command of a person signs in, prints nothing, and mints nothing', async () => {
  const door = createDoor({ mints: [] })
  expect([await runIn(door.helper, ['sign-in', '--door', 'front'], {}), door.done]).toEqual([
    { status: 0, stdout: '', stderr: '' },
    ['command'],
  ])
})

test.each<[what: string, argv: string[], env: Record<string, string>, door: Door, outcome: ReturnType<typeof failed>]>([
  [
    'in a silent context',
    ['sign-in'],
    toContextVariables('background'),
    { mints: [] },
    failed(4, 'in the context background nobody can be asked to sign in', 'run in a terminal: door sign-in'),
  ],
  [
    'with an unknown option',
    ['sign-in', '--dor', 'x'],
    {},
    { mints: [] },
    failed(2, 'unknown option --dor (did you mean --door?)', 'see: door --help'),
  ],
  [
    'where nobody is to sign in',
    ['sign-in'],
    {},
    { mints: [], signsIn: false },
    failed(
      3,
      'with these options nobody is signed in here',
      'see what is used with: door --explain; the option sign-in must not be off',
    ),
  ],
])('the command fails %s', async (_, argv, env, parts, outcome) => {
  const door = createDoor(parts)
  expect([await runIn(door.helper, argv, env), door.done]).toEqual([outcome, []])
})

test('a helper without a sign-in knows no such command; one with it names it in its help', async () => {
  const { helper } = createDoor({ mints: [] })
  const { signIn: _, ...plain } = helper
  expect(await runIn(plain, ['sign-in'], {})).toMatchObject({ status: 2 })
  expect((await runIn(helper, ['--help'], {})).stdout).toContain('door sign-in [OPTIONS]')
  expect((await runIn(plain, ['--help'], {})).stdout).not.toContain('sign-in [')
})
