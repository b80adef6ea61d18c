import { defineConfig } from 'vitest/config'

/** `npm test` is the quick set; tests that take long or need system packages end in `.slow.test.ts` and run in `.ci/run`. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts'],
          globalSetup: ['test/setup/build-once.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          globalSetup: ['test/setup/build-once.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
