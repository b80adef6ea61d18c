import fc from 'fast-check'
import { test } from 'vitest'
import { files, surviveAll } from './fuzzing.ts'

test('no file makes a reader throw', () => {
  fc.assert(fc.property(files, surviveAll), { numRuns: 500 })
})
