import { defineConfig } from 'vitest/config'
import { RetriedTests } from './test/setup/retried-tests.ts'
import { translateTests } from './test/setup/translate-tests.ts'

const report = process.env.TEST_REPORT

/** Tests of standalone executables and archives, which take minutes to build. */
const buildTests = ['test/executables/**/*.slow.test.ts', 'test/packaging/**/*.slow.test.ts']

/**
 * Slow tests whose result depends on the moment little: none of them has dozens of processes race, kills one at a moment that
 * matters or measures a start, and what waits for a deadline has a second to spare. They run side by side, which a test that does has
 * to be kept from.
 */
const patientTests = [
  'test/aws-parity/**/*.slow.test.ts',
  'test/cache/{deadline,disk,hanging-mount,not-before,sealed-keyring,strange-files,stuck-mint}.slow.test.ts',
  'test/cache/{clock,renew-early}.slow.test.ts',
  'test/cli/{api,config,gateway}/**/*.slow.test.ts',
  'test/cli/doctor/*.slow.test.ts',
  'test/cli/{bad-input,exit-status,hostile-text,usage}.slow.test.ts',
  'test/cli/{endless-answers,sign-in,terminal}.slow.test.ts',
  'test/cli/{check-helper,choose,simulate}/*.slow.test.ts',
  'test/cli/program/*.slow.test.ts',
  'test/cli/fleet/**/*.slow.test.ts',
  'test/cli/verify/*.slow.test.ts',
  'test/client/check/gallery.slow.test.ts',
  'test/client/fleet/**/*.slow.test.ts',
  'test/client/{page,sign-in}/*.slow.test.ts',
  'test/client/simulation/**/*.slow.test.ts',
  'test/config/**/*.slow.test.ts',
  'test/contract/{,identity-providers/}*.slow.test.ts',
  'test/demo{,-output}.slow.test.ts',
  'test/end-to-end/*.slow.test.ts',
  'test/gateway/**/*.slow.test.ts',
  'test/gateways/{apache,haproxy,litellm,nginx}/*.slow.test.ts',
  'test/glewlwyd/*.slow.test.ts',
  'test/helper/formats/*.slow.test.ts',
  'test/helper/memo/{changes,hanging,seen-files}.slow.test.ts',
  'test/helper/run/*.slow.test.ts',
  'test/helpers/canary.slow.test.ts',
  'test/helpers/*/{cache,exchange,network,person,platform,single-use,sources,*-failures}.slow.test.ts',
  'test/helpers/*/{aws-cli-files,deadline,identity,program,terminal}.slow.test.ts',
  'test/helpers/*/{clock,machine-profiles,region,sign-in-profiles}.slow.test.ts',
  'test/library/*.slow.test.ts',
  'test/mcp-conformance/*.slow.test.ts',
  'test/network/{canary,every-stage,hanging,proxy,retries,transient-failures}.slow.test.ts',
  'test/openid-conformance/*.slow.test.ts',
  'test/pkg-scripts/**/*.slow.test.ts',
  'test/sources/aws/sso/**/*.slow.test.ts',
  'test/sources/aws/login/sign-in/*.slow.test.ts',
  'test/sources/keychain/**/*.slow.test.ts',
  'test/sources/oauth/*.slow.test.ts',
  'test/sources/oauth/{listener,oidc}/**/*.slow.test.ts',
  'test/sources/oauth/store/keychain.slow.test.ts',
  'test/sources/oidc-token/**/*.slow.test.ts',
  'test/transcripts/*.slow.test.ts',
  'test/runtime/outcome/**/*.slow.test.ts',
  'test/verify/replay/redis/lying-redis.slow.test.ts',
  'test/verify/jwt/*.slow.test.ts',
  'test/verify/aws/*.slow.test.ts',
  'test/verify/server/{smuggling,floods,real-tokens}.slow.test.ts',
  'test/vendor/*.slow.test.ts',
  'test/sources/**/{chromium,firefox,botocore}.slow.test.ts',
  'test/verify/policy/**/*.slow.test.ts',
  'test/workflows/*.slow.test.ts',
]

/** In the quick set with one helper of each family, in the slow one with the others. */
const testsOfEveryHelper = [
  'test/cache/one-mint.test.ts',
  'test/client/check/every-helper.test.ts',
  'test/contract/every-helper.test.ts',
]

/** `npm test` is the quick set; tests that take long or need system packages end in `.slow.test.ts` and run in `.ci/run`. */
export default defineConfig({
  plugins: [translateTests],
  test: {
    globalSetup: ['test/setup/build-once.ts'],
    // Most of a test's time is spent waiting for processes of its own.
    maxWorkers: 3,
    reporters: [
      'default',
      new RetriedTests(),
      ...(report ? [['json', { outputFile: report }] satisfies [string, object]] : []),
    ],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          provide: { testSet: 'quick' },
          // Files share a process and its modules: loading these again for each file takes a quarter of the time.
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: ['test/**/*.slow.test.ts'],
          // Far beyond what a test takes, so that busy processors fail none.
          testTimeout: 90_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'executables',
          include: buildTests,
          globalSetup: ['test/setup/built-suite.ts'],
          testTimeout: 600_000,
          hookTimeout: 600_000,
          // Builds, compression and Wine share the processors with what is timed: a defect fails twice.
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          provide: { testSet: 'slow' },
          // As in the quick set.
          isolate: false,
          include: ['test/**/*.slow.test.ts'],
          exclude: [...buildTests, ...patientTests],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 1 },
          // One file at a time: what kills, waits and counts processes is not to be judged on a busy machine.
          fileParallelism: false,
          // A gallery of races is at the mercy of the scheduler once; a defect fails twice.
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'patient',
          provide: { testSet: 'slow' },
          isolate: false,
          include: [...patientTests, ...testsOfEveryHelper],
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
          maxWorkers: 3,
          retry: 1,
        },
      },
    ],
  },
})
