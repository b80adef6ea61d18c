import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { buildSuite, type Suite } from '../../pkg-scripts/executable/build-suite.ts'
import { hostTarget } from '../../pkg-scripts/executable/runtimes.ts'
import { root } from '../../pkg-scripts/tree.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The executables of this platform, built from the sources as they are. */
    readonly suite: Suite
  }
}

/** Builds the executables once before the tests that run them: `inject('suite')` names them. The name is vitest's. */
export async function setup(project: TestProject): Promise<void> {
  project.provide('suite', await buildSuite(hostTarget, {}, join(root, 'dist', 'test')))
}
