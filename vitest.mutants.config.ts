import { defineConfig } from 'vitest/config'

/** For Stryker, which runs it in a copy of the tree whose sources hold every mutant. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build-mutants.ts'],
    setupFiles: ['test/setup/follow-programs.ts'],
    include: JSON.parse(process.env.MUTANT_TESTS ?? '[]'),
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
