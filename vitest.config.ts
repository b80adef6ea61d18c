import { defineConfig } from 'vitest/config'

const report = process.env.TEST_REPORT

/** `npm test` is the quick set; tests that take long or need system packages end in `.slow.test.ts` and run in `.ci/run`. */
export default defineConfig({
  test: {
    globalSetup: ['test/setup/build-once.ts'],
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: ['test/**/*.slow.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
})
