import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/setup/longest-first.ts'
import { RetriedTests } from './test/setup/retried-tests.ts'
import { TestReport } from './test/setup/test-report.ts'
import { translateTests } from './test/setup/translate-tests.ts'

const report = process.env.TEST_REPORT

/** Tests of standalone executables and archives, which take minutes to build. */
const buildTests = ['test/executables/**/*.slow.test.ts', 'test/packaging/**/*.slow.test.ts']

/**
 * Slow tests whose result depends on the moment little: none of them has dozens of processes race, kills one at a moment that a clock
 * decides or measures a start, and what waits for a deadline has a second to spare. They run side by side, which a test that does has
 * to be kept from.
 */
const patientTests = [
  'test/architecture/*.slow.test.ts',
  'test/aws-parity/{both-chains,hosts,parity,roles-anywhere,sdk,variables}.slow.test.ts',
  'test/cache/{deadline,disk,hanging-mount,not-before,sealed-keyring,strange-files,stuck-mint}.slow.test.ts',
  'test/bootstrap/device/*.slow.test.ts',
  'test/bootstrap/{publish-full-disk,publish-killed,publish-unreadable}.slow.test.ts',
  'test/bootstrap/serve/{attacks,state-volume}.slow.test.ts',
  'test/cache/{client-processes,clock,newer-version,renew-early,silent-clients}.slow.test.ts',
  'test/cli/{api,bootstrap,config,gateway,setup}/**/*.slow.test.ts',
  'test/cli/doctor/*.slow.test.ts',
  'test/cli/{bad-input,cache-command,check-helper,completion,exit-status,hostile-text,other-clients,run-scripts,shells,usage}.slow.test.ts',
  'test/cli/{endless-answers,sign-in,terminal}.slow.test.ts',
  'test/cli/{choose,simulate}/*.slow.test.ts',
  'test/cli/verify/*.slow.test.ts',
  'test/client/check/{check-helper,gallery}.slow.test.ts',
  'test/client/{credentials,page}/*.slow.test.ts',
  'test/client/simulation/**/*.slow.test.ts',
  'test/config/**/*.slow.test.ts',
  'test/contract/{,identity-providers/}*.slow.test.ts',
  'test/demo.slow.test.ts',
  'test/end-to-end/*.slow.test.ts',
  'test/fleet/**/*.slow.test.ts',
  'test/gateway/**/*.slow.test.ts',
  'test/gateways/{apache,caddy,haproxy,litellm,nginx}/*.slow.test.ts',
  'test/gateways/replicas/{device,files,object-storage}.slow.test.ts',
  'test/gateways/{audit,limits,metadata,policy-headers,recipe-digest,request-ids,request-rules,sender-constrained}.slow.test.ts',
  'test/glewlwyd/*.slow.test.ts',
  'test/helper/formats/*.slow.test.ts',
  'test/helper/memo/{changes,hanging,seen-files}.slow.test.ts',
  'test/helper/record/{call-record,canary}.slow.test.ts',
  'test/helper/run/*.slow.test.ts',
  'test/helpers/canary.slow.test.ts',
  'test/helpers/*/{cache,check,corrected,exchange,faulty-renewal,network,person,refusal,platform,single-use,sources,*-failures}.slow.test.ts',
  'test/helpers/*/{aws-cli-files,deadline,identity,program,terminal}.slow.test.ts',
  'test/helpers/*/{clock,lifetime,machine-profiles,region,sign-in-profiles}.slow.test.ts',
  'test/library/*.slow.test.ts',
  'test/mcp-conformance/*.slow.test.ts',
  'test/network/{canary,every-stage,hanging,proxy,retries,transient-failures,trust}.slow.test.ts',
  'test/openid-conformance/*.slow.test.ts',
  'test/real-clients/{codex,codex-mcp,gemini-cli,opencode}.slow.test.ts',
  'test/pkg-scripts/**/*.slow.test.ts',
  'test/setup/*.slow.test.ts',
  'test/sources/aws/sso/**/*.slow.test.ts',
  'test/sources/aws/sdk-chain/*.slow.test.ts',
  'test/sources/aws/login/paste.slow.test.ts',
  'test/sources/keychain/**/*.slow.test.ts',
  'test/sources/oauth/*.slow.test.ts',
  'test/sources/oauth/{listener,oidc}/**/*.slow.test.ts',
  'test/sources/oauth/store/keychain.slow.test.ts',
  'test/sources/oidc-token/**/*.slow.test.ts',
  'test/transcripts/*.slow.test.ts',
  'test/observability/*.slow.test.ts',
  'test/outcomes/**/*.slow.test.ts',
  'test/verify/revocation/*.slow.test.ts',
  'test/verify/replay/lying-redis.slow.test.ts',
  'test/verify/jwt/{differential,lying-issuer,real-issuer,rsa-attacks}.slow.test.ts',
  'test/verify/aws/*.slow.test.ts',
  'test/verify/server/{smuggling,floods,real-tokens,grpc,tls}.slow.test.ts',
  'test/vendor/*.slow.test.ts',
  'test/sources/**/{chromium,firefox,botocore}.slow.test.ts',
  'test/verify/policy/**/*.slow.test.ts',
  'test/workflows/*.slow.test.ts',
]

/**
 * Once more, with the other helpers or in another way, what the quick and the slow set have seen: for a release and for a change of what all
 * helpers share. They would take a quarter of the slow set's time.
 */
const repeatedTests = [
  // These two are in the quick set with one helper of each family.
  'test/contract/every-helper.test.ts',
  'test/cache/one-mint.test.ts',
  'test/client/check/{every-helper,paces}.slow.test.ts',
]

/** Clients that are not ours to install: `npm run clients` runs them where somebody has. */
const installedClientTests = ['test/real-clients/{copilot,claude-code}.slow.test.ts']

/** `npm test` is the quick set; tests that take long or need system packages end in `.slow.test.ts` and run in `.ci/run`. */
export default defineConfig({
  plugins: [translateTests],
  test: {
    globalSetup: ['test/setup/build-once.ts'],
    // On a busy machine a polled state comes late; the default limit is one second.
    expect: { poll: { timeout: 30_000 } },
    execArgv: ['--import', new URL('test/setup/watch-worker.ts', import.meta.url).href],
    // Most of a test's time is spent waiting for processes of its own.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RetriedTests(), ...(report ? [new TestReport(report)] : [])],
    projects: [
      {
        extends: true,
        test: {
          name: 'quick',
          provide: { testSet: 'quick' },
          maxWorkers: 4,
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
          exclude: [...buildTests, ...patientTests, ...repeatedTests, ...installedClientTests],
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
          name: 'repeated',
          provide: { testSet: 'repeated' },
          isolate: false,
          include: repeatedTests,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          retry: 1,
        },
      },
      {
        extends: true,
        test: {
          name: 'installed-clients',
          provide: { testSet: 'slow' },
          isolate: false,
          include: installedClientTests,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'patient',
          provide: { testSet: 'slow' },
          isolate: false,
          include: patientTests,
          testTimeout: 300_000,
          hookTimeout: 300_000,
          sequence: { groupOrder: 2 },
          // They use a third of a processor each.
          maxWorkers: 5,
          retry: 1,
        },
      },
    ],
  },
})
