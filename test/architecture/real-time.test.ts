import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { type SourceFile, targetsOf, tests } from './source-files.ts'

/** A time of less than a second, in seconds or in milliseconds. */
const sec = String.raw`0?\.\d+`
const ms = String.raw`(?:${sec}|\d{1,3})(?![\d_.])`

/** Code that depends on the speed of a machine: pauses and limits of less than a second, and measured times of less than five. */
const patterns = [
  // Fakes, whose time is not that of the machine, have the same names as methods.
  new RegExp(String.raw`(?<!\.)\b(?:\w*[sS]etTimeout|sleep|pause)\((?:.*, ?)?${ms}(?:, .*)?\)`),
  new RegExp(String.raw`\bAbortSignal\.timeout\(${ms}\)`),
  new RegExp(String.raw`\b(?:seconds|sec|\w*Sec|limit)(?:: | = )${sec}`),
  new RegExp(String.raw`(?<![-\w])(?:timeout|\w*(?:[wW]ait|[tT]imeout|[lL]imit|[iI]nterval)Ms)(?:: | = )${ms}`),
  new RegExp(String.raw`\.shorten\(${sec}`),
  /\bnow\(\) - \w+\)*\.toBeLessThan(?:OrEqual)?\((?:\d{1,3}|[1-4]_?\d{3})\)/,
  // Without a limit of their own these wait for a second; `expect.poll` has one in vitest.config.ts.
  /\bvi\.wait(?:For|Until)\((?!.*\d_?\d{3}\b)/,
]

/** Places that cannot fail, nor pass for another reason, because a machine is slow: how many in each file, and why not. */
const known: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'test/bootstrap/device/device-stage.ts': [1, 'time for another one to come as well'],
  'test/client/check/runs/broken-proxy.test.ts': [1, 'only silence may last as long'],
  'test/client/credentials/made-up-sign-in.ts': [1, 'asks again until somebody has gone'],
  'test/client/session/send-turn.test.ts': [1, 'fake timers'],
  'test/config/read/fetch-document.test.ts': [4, 'limits of what never ends'],
  'test/config/read/read-document-file.test.ts': [1, 'the limit of what never ends'],
  'test/helper/mint/renew-early.test.ts': [1, 'time for others to come as well'],
  'test/helper/mint/used-assertions.test.ts': [1, 'time for another one to come as well'],
  'test/runtime/deadline.test.ts': [1, 'fake timers'],
  'test/runtime/disk.test.ts': [1, 'ends a child that never ends by itself'],
  'test/runtime/network/fetch-in-time.test.ts': [1, 'a shorter wait than that of a server that is slower'],
  'test/runtime/run-process.test.ts': [6, 'time for what must not happen'],
  'test/runtime/standard-streams.test.ts': [3, 'time for what must not be written, or for a thread to be taken'],
  'test/sources/aws/files/shared-file.test.ts': [1, 'time for another one to come as well'],
  'test/sources/aws/sso/access-token.test.ts': [1, 'time for another one to come as well'],
  'test/sources/keychain/secret-service/states.test.ts': [1, 'time for what must not count'],
  'test/sources/oauth/listener/open-listener.test.ts': [1, 'time for a request to come that may also come later'],
  'test/sources/oauth/store/sign-out.test.ts': [1, 'asks again until it is told'],
  'test/sources/program/run-program.test.ts': [1, 'a shorter wait than that of a program that is slower'],
  'test/setup/wait-until.ts': [1, 'asks again until something is true'],
  'test/stand-ins/deaf-servers.ts': [1, 'time for connections to come'],
  'test/verify/policy/policy-follower.test.ts': [1, 'writes again until the look is over'],
}

const own = 'test/architecture/real-time.test.ts'

/** Lists the quick tests, and what they share. */
function listQuickFiles(): SourceFile[] {
  const byPath = new Map(tests.map((file) => [file.path, file]))
  const isQuick = ({ path }: SourceFile) => path.endsWith('.test.ts') && !path.endsWith('.slow.test.ts')
  const found = new Set(tests.filter(isQuick))
  // Files that are added while this goes on are gone through as well.
  for (const file of found)
    for (const { target } of targetsOf(file)) if (byPath.has(target)) found.add(byPath.get(target)!)
  return [...found].filter(({ path }) => path !== own)
}

function countPlaces(text: string): number {
  return text.split('\n').filter((line) => patterns.some((pattern) => pattern.test(line))).length
}

test('no quick test depends on less than a second of real time, unless slowness cannot fail it', () => {
  const counts = listQuickFiles().map(({ path, text }) => [path, countPlaces(text)] as const)
  const found = Object.fromEntries(counts.filter(([, count]) => count > 0))
  expect(found).toEqual(Object.fromEntries(Object.entries(known).map(([path, [count]]) => [path, count])))
})

test.each([
  'await sleep(50)',
  'await new Promise((done) => setTimeout(done, 999))',
  "setTimeout(late, 300, 'silence')",
  'signal: AbortSignal.timeout(300),',
  'new Deadline({ seconds: 0.3, hint })',
  "{ prompt: 'allowed', seconds: 0.2 }",
  '{ limits: { replaySec: 0.01 } }',
  'timeoutMs = 500',
  'const brief = whole.shorten(0.01)',
  'expect(performance.now() - begin).toBeLessThan(1000)',
  'await vi.waitFor(() => expect(asked).toHaveLength(2))',
])('a time that a busy machine exceeds is counted: %s', (line) => {
  expect(countPlaces(line)).toBe(1)
})

test.each([
  'await sleep(1_000)',
  'await sleep(2500)',
  'const waits = [clock.sleep(30)]',
  'AbortSignal.timeout(5000)',
  '{ seconds: 30 }',
  'timeout: 10_000,',
  'await vi.waitFor(() => expect(asked).toHaveLength(2), 5000)',
  'expect(Date.now() - begin).toBeLessThan(10_000)',
])('a time with a second to spare is not counted: %s', (line) => {
  expect(countPlaces(line)).toBe(0)
})

test('every poll may last longer than a second', () => {
  const [setting] = readFileSync(join(root, 'vitest.config.ts'), 'utf8').match(/expect: \{ poll: .*/) ?? []
  expect(setting).toBe('expect: { poll: { timeout: 30_000 } },')
})

test('a file that sets or fakes the time gives it back, because the files of a worker share it', () => {
  const isFaked = ({ text }: SourceFile) => /\bvi\.(?:setSystemTime|useFakeTimers)\(/.test(text)
  const isGivenBack = ({ text }: SourceFile) => text.includes('vi.useRealTimers()')
  const faked = tests.filter((file) => file.path !== own && isFaked(file))
  const kept = faked.filter((file) => !isGivenBack(file)).map(({ path }) => path)
  expect({ kept, isAnyFaked: faked.length > 5 }).toEqual({ kept: [], isAnyFaked: true })
})
