import { inject } from 'vitest'
import { listFamilies, listHelpers } from '../../pkg-scripts/tree.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Which set of tests runs. */
    testSet: 'quick' | 'slow'
  }
}

/** The helpers that a test of every helper takes: the first of each family in the quick set, the others in the slow one. */
export function listTestedHelpers(): string[] {
  const families = listFamilies()
  return inject('testSet') === 'quick' ? families : listHelpers().filter((name) => !families.includes(name))
}
