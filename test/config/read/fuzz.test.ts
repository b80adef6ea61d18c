import fc from 'fast-check'
import { test } from 'vitest'
import { files, runEverything } from './fuzzing.ts'

test('no file makes a reader throw', () => {
  fc.assert(fc.property(files, runEverything), { numRuns: 150 })
})
