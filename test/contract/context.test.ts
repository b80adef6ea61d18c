import { expect, test } from 'vitest'
import { type ClientContext, type HelperContext, helperContexts, isPromptAllowed } from '../../src/contract/context.ts'
import { detectContext, toContextVariables } from '../../src/contract/detect-context.ts'
import { vendor } from '../../src/vendor.ts'

test.each<[value: string | undefined, end: 'terminal' | 'pipe', context: HelperContext]>([
  ['interactive', 'pipe', 'interactive'],
  ['mid-session-refresh', 'pipe', 'mid-session-refresh'],
  ['scheduled-task', 'pipe', 'scheduled-task'],
  ['setup-test', 'pipe', 'setup-test'],
  ['background', 'pipe', 'background'],
  ['background', 'terminal', 'background'],
  [undefined, 'terminal', 'terminal'],
  [undefined, 'pipe', 'unknown'],
  ['', 'terminal', 'terminal'],
  ['', 'pipe', 'unknown'],
  ['Interactive', 'terminal', 'unknown'],
  ['interactive ', 'terminal', 'unknown'],
  ['terminal', 'terminal', 'unknown'],
  ['unknown', 'terminal', 'unknown'],
  ['toString', 'terminal', 'unknown'],
  ['a-context-of-next-year', 'terminal', 'unknown'],
])('the variable %o with a %s attached is the context %s', (value, end, context) => {
  expect(detectContext({ [vendor.contextVariable]: value }, () => end)).toBe(context)
})

test('the terminal is examined only where no client names a context', () => {
  let looks = 0
  const attached = () => {
    looks += 1
    return 'pipe' as const
  }
  for (const context of [...helperContexts, 'a-context-of-next-year']) {
    detectContext({ [vendor.contextVariable]: context }, attached)
  }
  expect(looks).toBe(0)
})

test.each<[context: HelperContext, may: boolean]>([
  ['interactive', true],
  ['terminal', true],
  ['mid-session-refresh', false],
  ['scheduled-task', false],
  ['setup-test', false],
  ['background', false],
  ['unknown', false],
])('in %s asking a person is allowed: %s', (context, may) => {
  expect(isPromptAllowed(context)).toBe(may)
})

test.each<[context: ClientContext, env: Record<string, string>]>([
  ['interactive', { VENDOR_HELPER_CONTEXT: 'interactive' }],
  ['mid-session-refresh', { VENDOR_HELPER_CONTEXT: 'mid-session-refresh' }],
  ['scheduled-task', { VENDOR_HELPER_CONTEXT: 'scheduled-task' }],
  ['setup-test', { VENDOR_HELPER_CONTEXT: 'setup-test', VENDOR_HELPER_MANUAL_RUN: '1' }],
  ['background', { VENDOR_HELPER_CONTEXT: 'background' }],
])('a client that runs a helper for %s sets %o', (context, env) => {
  expect(toContextVariables(context)).toEqual(env)
})

test('the helper detects the context that the client sets', () => {
  const detected = helperContexts.map((context) => detectContext(toContextVariables(context), () => 'terminal'))
  expect(detected).toEqual(helperContexts)
})
