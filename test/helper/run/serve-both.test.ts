import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientContext } from '../../../src/contract/context.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { fails } from '../../setup/run-program.ts'
import { testHost, testNow } from '../../setup/test-host.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { createPair, headerOfSecond, runPair } from './pair.ts'

const second = ['--second-helper', 'back', ...headerOfSecond]
const printed = (stdout: string, stderr = '') => ({ status: 0, stdout: `${stdout}\n`, stderr })
const failed = (status: number, message: string, hint: string) => fails('front', status, message, hint)
const both = printed('{"token":"front-hall","headers":{"X-Second":"Bearer back-hall"}}')

test('an answer holds both tokens, each minted once and kept by itself', async () => {
  const pair = createPair()
  const { home } = await testHost()
  const first = await runPair(pair, { argv: second, home })
  const kept = await readdir(join(home, '.cache', 'gatepass'))
  const entries = kept.filter((file) => file.endsWith('.json')).map((file) => file.replace(/-.*/, ''))
  expect({ first, done: pair.done.sort(), entries: entries.sort() }).toEqual({
    first: both,
    done: ['back mints', 'front mints'],
    entries: ['back', 'front'],
  })
  const none = createPair({ mints: [] }, { mints: [] })
  const again = await runPair(none, { argv: second, home })
  expect({ again, done: none.done }).toEqual({ again: both, done: [] })
})

test('the first token has the entry of runs without a second', async () => {
  const { home } = await testHost()
  await runPair(createPair(), { argv: [], home })
  const pair = createPair({ mints: [] })
  expect({ outcome: await runPair(pair, { argv: second, home }), done: pair.done }).toEqual({
    outcome: both,
    done: ['back mints'],
  })
})

test('a header without facts leaves the entry of the first token as it is', async () => {
  const { home } = await testHost()
  const plain = ['--header', 'X-Team: one']
  await runPair(createPair(), { argv: plain, home })
  const pair = createPair({ mints: [] })
  const answer = '{"token":"front-hall","headers":{"X-Team":"one","X-Second":"Bearer back-hall"}}'
  const outcome = await runPair(pair, { argv: [...plain, ...second], home })
  expect({ outcome, done: pair.done }).toEqual({ outcome: printed(answer), done: ['back mints'] })
})

test('a header that needs a fact of both gives the first token an entry of its own', async () => {
  const { home } = await testHost()
  await runPair(createPair(), { argv: second, home })
  const pair = createPair({}, { mints: [] })
  const argv = ['--second-helper', 'back', '--header', 'X-Both: {claims.sub} {second.token}']
  const outcome = await runPair(pair, { argv, home })
  const answer = '{"token":"front-hall","headers":{"X-Both":"dana back-hall"}}'
  expect({ outcome, done: pair.done }).toEqual({ outcome: printed(answer), done: ['front mints'] })
})

test('only the token that ends is renewed', async () => {
  const { home } = await testHost()
  const clock = { now: () => testNow + 4_000_000, startedAt: testNow + 4_000_000, elapsedMs: () => 0 }
  await runPair(createPair({ mints: [90_000] }), { argv: second, home })
  const pair = createPair({ mints: [] }, { mints: [90_000] })
  expect({ outcome: await runPair(pair, { argv: second, home, clock }), done: pair.done }).toEqual({
    outcome: both,
    done: ['back mints'],
  })
})

test('in mid-session-refresh both are renewed, since nobody knows which one was refused', async () => {
  const { home } = await testHost()
  const later = testNow + 60_000
  const clock = { now: () => later, startedAt: later, elapsedMs: () => 0 }
  await runPair(createPair(), { argv: second, home })
  const pair = createPair()
  const env = toContextVariables('mid-session-refresh')
  expect({ outcome: await runPair(pair, { argv: second, home, env, clock }), done: pair.done.sort() }).toEqual({
    outcome: both,
    done: ['back mints', 'front mints'],
  })
})

test('facts of both may stand in one header, and options of the second are its own', async () => {
  const argv = ['--room', 'one', '--second-helper', 'back', '--second-option', 'room=two', '--second-option=floor=2']
  const header = 'X-Both: {room}/{claims.sub}/{second.room}/{second.claims.sub}/{second.token}'
  expect(await runPair(createPair(), { argv: [...argv, '--header', header] })).toEqual(
    printed('{"token":"front-one","headers":{"X-Both":"one/dana/two/dana/back-two"}}'),
  )
})

test('a helper may be its own second, with other options', async () => {
  const argv = ['--second-helper', 'front', '--second-option', 'room=two', ...headerOfSecond]
  const pair = createPair({ mints: [7200] })
  expect(await runPair(pair, { argv })).toEqual(
    printed('{"token":"front-hall","headers":{"X-Second":"Bearer front-two"}}'),
  )
})

test('the second helper reads its own files, and ignores the options in them that are about a call', async () => {
  const host = await testHost()
  const directory = join(host.home, '.config', 'gatepass')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const own = { room: 'attic', header: ['X-Own: own'], 'second-helper': 'front', format: 'token', 'client-ttl': 5 }
  await writeFile(join(directory, 'back.json'), JSON.stringify(own), { mode: 0o600 })
  expect(await runPair(createPair(), { argv: second, home: host.home })).toEqual(
    printed('{"token":"front-hall","headers":{"X-Second":"Bearer back-attic"}}'),
  )
})

test('each of two tokens is measured against client-ttl, and a warning says which one is too short', async () => {
  const advice = "set ttlSec in the client's document, and client-ttl here, to 540"
  const life = 'the token lives 600 s, but the client keeps it for 3600 s:'
  expect(await runPair(createPair({}, { mints: [600] }), { argv: second })).toEqual({
    ...both,
    stderr: `front: warning: the second helper, back: ${life} ${advice}\n`,
  })
  expect(await runPair(createPair({ mints: [600] }), { argv: second })).toEqual({
    ...both,
    stderr: `front: warning: ${life} ${advice}\n`,
  })
})

const down = new HelperError('unavailable', 'the source is down', 'wait')
const denied = new HelperError('refused', 'it was denied', 'allow it')
const expired = new HelperError('sign-in-required', 'the session expired', 'renew it')

test('the failure of either token fails the call', async () => {
  expect(await runPair(createPair({}, { mints: [denied] }), { argv: second })).toEqual(
    failed(5, 'the second helper, back: it was denied', 'allow it'),
  )
  expect(await runPair(createPair({ mints: [down] }, { mints: [denied] }), { argv: second })).toEqual(
    failed(6, 'the source is down', 'wait'),
  )
})

test.each<[what: string, argv: string[], outcome: ReturnType<typeof failed>]>([
  [
    'a name of no helper',
    ['--second-helper', 'bakc', ...headerOfSecond],
    failed(3, 'second-helper: there is no helper of this name (did you mean back?)', 'set it to one of front, back'),
  ],
  [
    'a second that no header uses',
    ['--second-helper', 'back', '--header', 'X-Room: {room}'],
    failed(
      2,
      'a second token is requested from back, but no header uses it',
      'add the header that the gateway reads, such as --header "X-Second: {second.token}"; see: front --help',
    ),
  ],
  [
    'a fact that the second does not know',
    ['--second-helper', 'back', '--header', 'X-A: {second.team} {second.claims} {second.second.token}'],
    failed(
      2,
      ['team', 'claims', 'second.token']
        .map(
          (fact) =>
            `"X-A" asks for {second.${fact}}, but the second helper, back, knows only {second.token}, {second.room}, {second.claims.NAME}`,
        )
        .join('; ')
        .replace(/^/, 'header: '),
      'see what it knows: back --help',
    ),
  ],
  [
    'an option that the second does not have',
    [...second, '--second-option', 'rom=two'],
    failed(2, 'the second helper, back: unknown option --rom (did you mean --room?)', 'see: back --help'),
  ],
  [
    'a second of a second',
    [...second, '--second-option', 'second-helper=front'],
    failed(
      2,
      'the second helper, back: second-option: second-helper cannot be set for the second token',
      'remove it: it is set once, for the whole answer',
    ),
  ],
  [
    'a second helper beside a second command',
    [...second, '--second-command', '/bin/date'],
    failed(2, 'both second-helper and second-command are set', 'remove one of them'),
  ],
  [
    'options for a second that is not named',
    ['--second-option', 'room=two', ...headerOfSecond],
    failed(
      2,
      'second-option is set, but no second-helper that would take it',
      'set second-helper to the name of a helper, or remove second-option',
    ),
  ],
])('%s is refused before anything is asked', async (_, argv, outcome) => {
  const pair = createPair()
  expect([await runPair(pair, { argv }), pair.done]).toEqual([outcome, []])
})

test('a program that holds one helper alone says where the other one is', async () => {
  const all = createPair().others
  const others = new Map([['front', all.get('front')!]])
  expect(await runPair({ others }, { argv: second })).toEqual(
    failed(
      3,
      'this program holds front alone, and a second token needs back beside it',
      'run front from the executable that holds every helper',
    ),
  )
})

const inContext = (context: ClientContext) => ({ argv: second, env: toContextVariables(context) })

test('people sign in for one after the other', async () => {
  const signsIn = { mints: [expired, 7200], signIn: () => {} }
  const pair = createPair(signsIn, signsIn)
  const outcome = await runPair(pair, inContext('interactive'))
  expect({ outcome, atOnce: pair.done.slice(0, 2).sort(), inOrder: pair.done.slice(2) }).toEqual({
    outcome: both,
    atOnce: ['back mints', 'front mints'],
    inOrder: ['front signs in', 'front mints', 'back signs in', 'back mints'],
  })
})

test('nobody signs in where the other token is out of reach', async () => {
  const pair = createPair({ mints: [expired], signIn: () => {} }, { mints: [denied] })
  expect({ outcome: await runPair(pair, inContext('interactive')), done: pair.done.sort() }).toEqual({
    outcome: failed(5, 'the second helper, back: it was denied', 'allow it'),
    done: ['back mints', 'front mints'],
  })
})

test('in a silent context the hint is the command of the second helper', async () => {
  const pair = createPair({}, { mints: [expired], signIn: () => {} })
  const argv = [...second, '--second-option', 'room=two']
  expect(await runPair(pair, { argv, env: toContextVariables('background') })).toEqual(
    failed(
      4,
      'the second helper, back: the session expired',
      'start a new session, which lets a person sign in, or run: back sign-in --room=two',
    ),
  )
})

test('a second mint that never ends is late by its own name', async () => {
  const clock = { now: () => testNow, startedAt: testNow, elapsedMs: () => 55_000 }
  expect(await runPair(createPair({}, { mints: ['hanging'] }), { argv: second, clock })).toEqual(
    failed(
      7,
      'the second helper, back: getting a token took longer than the 58 s of this call',
      "find out why it is slow, or raise timeoutSec in the client's document and client-timeout here",
    ),
  )
})

test.each<[first: number | 'endless', second: number | 'endless', lifeSec: number | undefined]>([
  [7200, 600, 600],
  [600, 7200, 600],
  [7200, 'endless', 7200],
  ['endless', 600, 600],
  ['endless', 'endless', undefined],
])('with tokens that live %s s and %s s, a client reads an expiry after %s s', async (one, two, lifeSec) => {
  const argv = [...second, '--format', 'bazel', '--for-host', 'build.example', 'get']
  const stdin = async () => Buffer.from('{"uri":"https://build.example"}')
  const outcome = await runPair(createPair({ mints: [one] }, { mints: [two] }), { argv, streams: { stdin } })
  const headers = { Authorization: ['Bearer front-hall'], 'X-Second': ['Bearer back-hall'] }
  const expires = lifeSec && new Date(testNow + lifeSec * 1000).toISOString().replace('.000', '')
  expect({ ...outcome, stdout: JSON.parse(outcome.stdout) }).toEqual({
    status: 0,
    stderr: '',
    stdout: { headers, ...(expires && { expires }) },
  })
})

test('where a token has no known end, the other one keeps its own', async () => {
  const { home } = await testHost()
  const pair = createPair({}, { mints: ['endless', 'endless'] })
  expect(await runPair(pair, { argv: second, home })).toEqual(both)
  expect(await runPair(pair, { argv: second, home })).toEqual(both)
})

/** Returns the options of a run with a log that explains itself, and where the log is. */
async function explainBoth() {
  const { home } = await testHost()
  const log = join(home, 'log')
  return { home, log, argv: [...second, '--second-option', 'room=two', '--explain', '--log-file', log] }
}

test('an explanation names both tokens without showing them', async () => {
  const { home, log, argv } = await explainBoth()
  const { stdout, ...rest } = await runPair(createPair({}, { mints: [600] }), { argv, home })
  expect(rest).toEqual({
    status: 0,
    stderr:
      "front: warning: the second helper, back: the token lives 600 s, but the client keeps it for 3600 s: set ttlSec in the client's document, and client-ttl here, to 540\n",
  })
  expect(
    toStableText(stdout.replaceAll(/lives (600|7200) s/g, 'lives $1 SEC'), { [log]: 'LOG' }).replaceAll('SEC', 's'),
  ).toBe(`\
context
  unknown (VENDOR_HELPER_CONTEXT is not set); nobody is asked
  ends by itself after N s
options
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  header = 1 given (argument)
  second-helper = back (argument)
  second-option = 1 given (argument)
  format = json (default)
  cache = disk (default)
  renew-early = 25 (default)
  log-file = LOG (argument)
  explain = true (argument)
  room = hall (default)
uses
  the door of front
token
  from mint
  lives 7200 s, until DATE
  room: hall
second helper
  back
options of the second
  cache = disk (default)
  renew-early = 25 (default)
  room = two (second-option)
  client-ttl = 3600 (default)
  client-timeout = 60 (default)
  format = json (default)
  explain = true (argument)
uses of the second
  the door of back
second token
  from mint
  lives 600 s, until DATE
  room: two
  kept in the cache: TEMPORARY/.cache/gatepass/back-KEY.json
headers
  X-Second
cache
  TEMPORARY/.cache/gatepass/front-KEY.json
  renewed from DATE on, N min early on this machine
`)
})

test('the log names both tokens without showing them', async () => {
  const { home, log, argv } = await explainBoth()
  await runPair(createPair({}, { mints: [600] }), { argv, home })
  const line = await readFile(log, 'utf8')
  const { program, served, second: other } = JSON.parse(line)
  expect({
    program,
    served,
    other: other.program,
    servedOther: other.served,
    secrets: line.match(/front-hall|back-two/),
  }).toEqual({
    program: 'front',
    served: 'mint',
    other: 'back',
    servedOther: 'mint',
    secrets: null,
  })
})
