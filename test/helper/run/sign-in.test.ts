import { describe, expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { type AnyHelper, defineHelper } from '../../../src/helper/define-helper.ts'
import { runHelper } from '../../../src/helper/run/run-helper.ts'
import type { SignIn, SignInState } from '../../../src/helper/sign-in.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { testHost, testNow } from '../../setup/test-host.ts'

const expired = new HelperError('sign-in-required', 'the session expired', 'renew it')
const denied = new HelperError('refused', 'it was denied', 'allow it')

interface Door {
  /** The results of the mints, one after the other. */
  readonly mints: readonly (string | HelperError)[]
  readonly isDone?: boolean
  readonly complete?: () => Promise<number>
  /** `false` for a plan in which nobody signs in. */
  readonly signsIn?: boolean
  /** `true` where the command waits for the sign-in; `false` in the process that signs in for the runs that wait. */
  readonly isWatched?: boolean
  readonly state?: SignInState
}

/** Creates a helper whose source and sign-in say what a test says, and what was done in which order. */
function createDoor({
  mints,
  isDone = false,
  complete = async () => testNow,
  signsIn = true,
  isWatched = true,
  state,
}: Door) {
  const done: string[] = []
  const rest = [...mints]
  const signIn: SignIn = {
    isDone: async () => isDone,
    complete: () => {
      done.push('sign-in')
      return complete()
    },
    perform: async () => {
      done.push('command')
      return { isWatched }
    },
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
    whoami: async () => state,
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
const failed = (status: number, message: string, hint: string) => fails('door', status, message, hint)

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
])('the run fails where %s', async (_, parts, outcome) => {
  expect(await run(createDoor(parts))).toEqual(outcome)
})

test.each<[env: Record<string, string>, argv: string[], command: string]>([
  [toContextVariables('mid-session-refresh'), [], ': door sign-in'],
  [toContextVariables('background'), ['--door', 'front/1'], ': door sign-in --door front/1'],
  [toContextVariables('setup-test'), ['--door', 'a b'], ': door sign-in --door "a b"'],
  [{}, ['--door', 'https://id.example.com:8443/tenant'], ': door sign-in --door https://id.example.com:8443/tenant'],
  ...['https://dana:canary@id.example', 'https://id.example/?key=canary', '$(canary)', "a'b"].map(
    (door): [Record<string, string>, string[], string] => [
      {},
      ['--door', door],
      ', with the options of this run: door sign-in',
    ],
  ),
  [{}, ['--header', 'X-Key: canary'], ', with the options of this run: door sign-in'],
  [{}, ['--proxy', 'http://dana:canary@proxy.example'], ', with the options of this run: door sign-in'],
  [{}, [], ': door sign-in'],
])('where nobody may be asked (%j) nothing is started, and the hint says what signs in', async (env, argv, command) => {
  const door = createDoor({ mints: [expired] })
  const hint = `start a new session, which lets a person sign in, or run${command}`
  expect([await runIn(door.helper, argv, env), door.done]).toEqual([failed(4, 'the session expired', hint), ['mint']])
})

const renewal = { isSilent: true, how: 'without a person' }
const session = { account: 'Dana', since: testNow - 60_000, what: 'the ticket', endsAt: testNow + 3_600_000, renewal }
const state: SignInState = { subject: 'Example', purpose: 'the front door', session }
const until = new Date(testNow + 3_600_000).toISOString()

test.each<[what: string, door: Partial<Door>, said: string]>([
  [
    'as whom, for what and until when',
    { state },
    `signed in to Example as Dana, for the front door, until ${until}, in 1 h 0 min, and renewed without a person`,
  ],
  [
    'less, where less is known',
    {
      state: {
        subject: 'Example',
        session: { account: undefined, what: 'x', endsAt: undefined, renewal: { ...renewal, isSilent: false } },
      },
    },
    'signed in to Example',
  ],
  ['nothing of a source that does not tell', {}, ''],
  ['nothing in the process that signs in for the runs that wait', { state, isWatched: false }, ''],
])('the command that signs in mints nothing, and says %s', async (_, parts, said) => {
  const door = createDoor({ mints: [], ...parts })
  expect([await runIn(door.helper, ['sign-in', '--door', 'front'], {}), door.done]).toEqual([
    { status: 0, stdout: '', stderr: said && `door: ${said}\n` },
    ['command'],
  ])
})

test('a run at a terminal says as whom a person signs in, unlike that of a client', async () => {
  const attempt = async (env: Record<string, string>) => {
    const { helper } = createDoor({ mints: [expired, 't'], state })
    const host = await testHost({ argv: [], env, streams: { attached: () => 'terminal' } })
    return { ...(await runHelper('door', helper, host)), ...host.written }
  }
  expect(await attempt({})).toEqual({
    work: 'finished',
    ...printed,
    stderr:
      'door: signed in to Example as Dana, for the front door, until 2026-01-15T13:00:00.000Z, in 1 h 0 min, and renewed without a person\n',
  })
  expect(await attempt(toContextVariables('interactive'))).toEqual({ work: 'finished', ...printed })
})

describe('whoami', () => {
  const ask = (state: SignInState | undefined, argv: string[] = []) =>
    runIn(
      createDoor({ mints: [], ...(state && { state }) }).helper,
      ['whoami', ...argv],
      toContextVariables('background'),
    )

  test('says who is signed in to what, since when and until when', async () => {
    expect(await ask(state)).toEqual(
      prints(`Dana
  signed in to  Example, for the front door
  since         ${new Date(testNow - 60_000).toISOString()}, 1 min ago
  until         ${until}, in 1 h 0 min (the ticket)
  renewed       without a person
`),
    )
  })

  test('says which facts are not known', async () => {
    const unknown = { ...session, account: undefined, since: undefined, endsAt: undefined }
    expect(await ask({ subject: 'Example', session: unknown })).toEqual(
      prints(`somebody: no file here says who
  signed in to  Example
  until         nobody knows
  renewed       without a person
`),
    )
  })

  test('prints it as JSON', async () => {
    const { status, stdout, stderr } = await ask(state, ['--json', '--door', 'front'])
    expect({ status, json: JSON.parse(stdout), stderr }).toEqual({
      status: 0,
      stderr: '',
      json: {
        account: 'Dana',
        signedInTo: 'Example',
        for: 'the front door',
        since: new Date(testNow - 60_000).toISOString(),
        until,
        of: 'the ticket',
        renewal: { withoutPerson: true, how: 'without a person' },
      },
    })
  })

  const signIn = 'sign in: door sign-in'
  const optionsHint = 'see what is used with: door --explain'

  test.each<[what: string, state: SignInState | undefined, outcome: ReturnType<typeof failed>]>([
    ['nobody is signed in', { subject: 'Example' }, failed(4, 'nobody is signed in to Example', signIn)],
    ['somebody was', { subject: 'Example', ended: 'the sign-in ended' }, failed(4, 'the sign-in ended', signIn)],
    ['nobody signs in', undefined, failed(3, 'with these options nobody is signed in here', optionsHint)],
  ])('fails where %s', async (_, state, outcome) => {
    expect(await ask(state)).toEqual(outcome)
  })

  test('has an option of its own, which no other run has', async () => {
    const { helper } = createDoor({ mints: [] })
    const unknown = failed(2, 'unknown option --json', 'see: door --help')
    expect([await runIn(helper, ['--json'], {}), await runIn(helper, ['sign-in', '--json'], {})]).toEqual([
      unknown,
      unknown,
    ])
  })
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

const { helper: withSignIn } = createDoor({ mints: [] })
const { signIn: _signIn, ...plain } = withSignIn

test('a helper without a sign-in refuses the command', async () => {
  expect(await runIn(plain, ['sign-in'], {})).toEqual({
    stdout: '',
    stderr: 'door: the first argument is not a command\ndoor: hint: use one of: whoami; see: door --help\n',
    status: 2,
  })
})

test('the help names the command for a sign-in where the helper has one', async () => {
  const usageOf = async (each: typeof plain) => (await runIn(each, ['--help'], {})).stdout.match(/^.* \[OPTIONS\].*$/gm)
  expect([await usageOf(withSignIn), await usageOf(plain)]).toEqual([
    [
      'Usage: door [OPTIONS]',
      '       door sign-in [OPTIONS]  signs you in, and says as whom',
      '       door whoami [OPTIONS]   says who is signed in (--json)',
    ],
    ['Usage: door [OPTIONS]', '       door whoami [OPTIONS]  says who is signed in (--json)'],
  ])
})
