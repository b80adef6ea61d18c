import fc from 'fast-check'
import { test } from 'vitest'
import { files, runEverything } from './fuzzing.ts'

test('no file makes a reader throw, in twenty seconds of trying', () => {
  fc.assert(fc.property(files, runEverything), { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: 20_000 })
})
