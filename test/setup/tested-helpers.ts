import { inject } from 'vitest'
import { listFamilies, listHelpers } from '../../pkg-scripts/tree.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which set of tests runs. */
    testSet: 'quick' | 'slow'
  }
}

/**
 * The helpers that a test of every helper takes: in the quick set one of each family, or the ones that are given; the others in the
 * slow set.
 */
export function listTestedHelpers(quick: readonly string[] = listFamilies()): readonly string[] {
  return inject('testSet') === 'quick' ? quick : listHelpers().filter((name) => !quick.includes(name))
}

/**
 * For tests that take long: what they test is the same code in every helper. The source of the first keeps nothing between two
 * runs, that of the second a sign-in with a lock of its own.
 */
export const longTestedHelpers = ['aws-bedrock-token', 'oidc-token'] as const
