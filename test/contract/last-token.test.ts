import { expect, test } from 'vitest'
import { helperContexts } from '../../src/contract/context.ts'
import { isLastTokenServed } from '../../src/contract/freshness.ts'
import { exitStatus } from '../../src/runtime/failure.ts'

test('the last token is served where the source is slow or cannot be reached, and nobody has refused the token', () => {
  const served = Object.keys(exitStatus).filter((kind) => isLastTokenServed('interactive', kind))
  expect(served).toEqual(['unavailable', 'late'])
  expect(helperContexts.filter((context) => !isLastTokenServed(context, 'late'))).toEqual(['mid-session-refresh'])
})
