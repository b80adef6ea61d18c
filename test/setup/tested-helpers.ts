import { inject } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The set of tests that runs. */
    testSet: 'quick' | 'slow' | 'repeated'
  }
}

/**
 * Helpers whose tokens have no known end: none is ever kept, so that tests of the cache have nothing to count. They are left to
 * the slow set too.
 */
const uncounted = ['api-key']

/** Returns whether the tokens of a helper can be counted, because some are kept. */
export function isCounted(helper: string): boolean {
  return !uncounted.includes(helper)
}

/**
 * Lists the helpers that a test of every helper takes: one of each family in the quick set, the others in the slow one.
 * @param late Are left to the slow set too, so that the quick one stays quick.
 */
export function listTestedHelpers(late: readonly string[] = []): string[] {
  const quick = listFamilies().filter((name) => isCounted(name) && ![...late, 'command-token'].includes(name))
  return inject('testSet') === 'quick' ? quick : listHelpers().filter((name) => !quick.includes(name))
}

/**
 * For tests that take long, of what is the same code in every helper: one of each family, but for `workload-token`. The source of
 * `aws-bedrock-token` keeps as little between two runs, and that of `oidc-token` a sign-in with a lock of its own. `command-token`
 * keeps as little, and sends no request whose stages could be slow.
 */
export function listLongTestedHelpers(): string[] {
  return listFamilies().filter((name) => isCounted(name) && !['workload-token', 'command-token'].includes(name))
}

/** Lists one helper of each family, by the first word of its name. All helpers share the same code, so the long tests use only these. */
function listFamilies(): string[] {
  const names = listHelpers()
  return [...new Map(names.toReversed().map((name) => [name.split('-')[0], name])).values()].sort()
}
