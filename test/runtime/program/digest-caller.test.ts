import { expect, test } from 'vitest'
import { digestCaller } from '../../../src/runtime/program/digest-caller.ts'

/** An option names the variable that holds its token. */
const caller = { variables: ['TOKEN'] }
const fingerprint = digestCaller({
  ...caller,
  argv: ['--profile', 'dev'],
  env: { HOME: '/home/dana', TOKEN: 'canary' },
})

test.each<[what: string, argv: string[], env: Record<string, string>]>([
  ['another argument', ['--profile', 'prod'], { HOME: '/home/dana', TOKEN: 'canary' }],
  ['another secret', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'other' }],
  ['one variable more', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', HTTPS_PROXY: 'x' }],
  ['a secret key', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', AWS_SECRET_ACCESS_KEY: 'x' }],
  ['a setting of ours', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', GATEPASS_CA: '/x' }],
  ['another context', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', VENDOR_HELPER_CONTEXT: 'x' }],
  ['a display', ['--profile', 'dev'], { HOME: '/home/dana', TOKEN: 'canary', DISPLAY: ':0' }],
])('%s makes another caller', (_, argv, env) => {
  expect(digestCaller({ ...caller, argv, env })).not.toBe(fingerprint)
})

test('a variable that a client sets anew for each of its processes makes no other caller', () => {
  const random = { PATH: '/tmp/x:/bin', CODING_AGENT_SOCKET: '/tmp/y', CODING_AGENT_TOKEN: 'z', TERM_SESSION_ID: '1' }
  const env = { HOME: '/home/dana', TOKEN: 'canary', ...random }
  expect(digestCaller({ ...caller, argv: ['--profile', 'dev'], env })).toBe(fingerprint)
})

test('the order of variables makes no other caller', () => {
  expect(digestCaller({ ...caller, argv: ['--profile', 'dev'], env: { TOKEN: 'canary', HOME: '/home/dana' } })).toBe(
    fingerprint,
  )
})
