import { expect, test } from 'vitest'
import { digestCaller, fromMintFailure, parseMintFailure, toMintFailure } from '../../../src/helper/mint/failure.ts'
import { exitStatus, type FailureKind, HelperError } from '../../../src/runtime/failure.ts'

const callerFingerprint = digestCaller({ argv: ['--profile', 'dev'], env: { HOME: '/home/dana', TOKEN: 'canary' } })
const shared: readonly FailureKind[] = ['not-configured', 'sign-in-required', 'refused', 'unavailable']

test.each(Object.keys(exitStatus) as FailureKind[])(
  '%s is shared with other runs or concerns one run alone',
  (kind) => {
    const failure = toMintFailure(new HelperError(kind, 'what', 'the way out', { cause: 'canary' }), callerFingerprint)
    const read = parseMintFailure(JSON.parse(JSON.stringify(failure ?? null)))
    const own = new HelperError(kind, 'what', 'the way out')
    expect(read && fromMintFailure(read)).toEqual(shared.includes(kind) ? own : undefined)
    expect(JSON.stringify(read ?? '')).not.toContain('canary')
  },
)

test('a defect concerns one run alone', () => {
  expect(toMintFailure(new TypeError('canary'), callerFingerprint)).toBeUndefined()
})

test.each<[what: string, argv: string[], env: Record<string, string>]>([
  ['another argument', ['--profile', 'prod'], { HOME: '/home/dana', TOKEN: 'canary' }],
  ['another secret', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'other' }],
  ['one variable more', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', HTTPS_PROXY: 'x' }],
])('%s makes another caller', (_, argv, env) => {
  expect(digestCaller({ argv, env })).not.toBe(callerFingerprint)
})

test('the order of variables makes no other caller', () => {
  expect(digestCaller({ argv: ['--profile', 'dev'], env: { TOKEN: 'canary', HOME: '/home/dana' } })).toBe(
    callerFingerprint,
  )
})

test.each([
  null,
  undefined,
  'refused',
  {},
  { callerFingerprint: 'a', kind: 'tired', message: 'm', hint: 'h' },
  { callerFingerprint: 'a', kind: 'toString', message: 'm', hint: 'h' },
  { callerFingerprint: 'a', kind: 'refused', message: 1, hint: 'h' },
  { kind: 'refused', message: 'm', hint: 'h' },
])('%j is no failure', (value) => {
  expect(parseMintFailure(value)).toBeUndefined()
})
