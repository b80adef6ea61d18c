import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { countAtOnce } from '../../setup/count-at-once.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import type { AwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import { writeBrowser } from './made-up-browser.ts'
import { account, inMinutes } from './sign-in.ts'
import { failure, program, startWorkbench, type Workbench } from './workbench.ts'

const startUrl = 'https://corp.awsapps.com/start'
const site = { sso_start_url: startUrl, sso_region: 'us-west-2' }
const role = { sso_account_id: account, sso_role_name: 'Builder', region: 'eu-central-1' }
const assignments = [{ accountId: account, roleName: 'Builder' }]

function writeProfiles(bench: Workbench): Promise<AwsDirectory> {
  const config = { 'profile dev': { sso_session: 'corp', ...role }, 'sso-session corp': site }
  return bench.write({ config: { ...config, 'profile old': { ...site, ...role } } })
}

const readTabs = async (bench: Workbench) =>
  (await readFile(join(bench.home, 'tabs'), 'utf8').catch(() => '')).split('\n').filter(Boolean)

test('eight interactive runs open one tab and share its sign-in', async () => {
  await using bench = await startWorkbench()
  bench.aws.sso.addPortal(startUrl, { assignments })
  const directory = await writeProfiles(bench)
  const env = await writeBrowser(bench, 'allow')
  const runs = Array.from({ length: 8 }, (_, number) =>
    runBundle(program, { argv: ['--profile', 'dev', '--lifetime', String(900 + number)], env }),
  )
  const outcomes = await Promise.all(runs)
  expect({
    statuses: outcomes.map(({ status }) => status),
    tabs: (await readTabs(bench)).length,
    asked: bench.asked().filter((operation) => operation !== 'GetRoleCredentials'),
    kept: toStableValue(JSON.parse(await readFile(directory.ssoCachePath('corp'), 'utf8'))),
  }).toEqual({
    statuses: Array(8).fill(0),
    tabs: 1,
    asked: ['RegisterClient', 'GET /authorize', 'POST /sign-in/decision', 'CreateToken'],
    kept: {
      startUrl,
      region: 'us-west-2',
      clientId: 'client-1',
      clientSecret: 'canary-client-secret-1',
      registrationExpiresAt: 'DATE',
      accessToken: 'canary-sso-access-1',
      refreshToken: 'canary-sso-refresh-1',
      expiresAt: 'DATE',
    },
  })
})

test('the older form shows a code, and reports that a person denied it', async () => {
  await using bench = await startWorkbench()
  bench.aws.sso.addPortal(startUrl, { assignments })
  await writeProfiles(bench)
  const env = await writeBrowser(bench, 'deny')
  const { status, stdout, stderr } = await runBundle(program, { argv: ['--profile', 'old'], env })
  const address = `${bench.aws.url}/device?user_code=WXYZ-0001`
  const subject = `the SSO session "${startUrl}"`
  expect({ status, stdout, stderr }).toEqual({
    status: 5,
    stdout: '',
    stderr:
      `${program}: a browser opens for the sign-in to ${subject} and has to show the code WXYZ-0001; if you see none, open: ${address}\n` +
      `${program}: the sign-in to ${subject} was denied in the browser\n${program}: hint: start again, and allow it there\n`,
  })
})

/** Another program, which reads the sign-in as fast as it can; its end gives what it saw. */
function startReader(path: string) {
  const script = `const { readFileSync } = require('node:fs')
let reads = 0, torn = 0
process.stdin.once('data', () => { console.log(JSON.stringify({ torn, isBusy: reads > 50 })); process.exit() })
setInterval(() => { for (let i = 0; i < 5; i += 1) { reads += 1; try { if (!JSON.parse(readFileSync(process.argv[1], 'utf8')).accessToken) torn += 1 } catch { torn += 1 } } }, 5)`
  const reader = execa(process.execPath, ['--eval', script, path], { reject: false })
  onTestFinished(() => void reader.kill('SIGKILL'))
  return async () => {
    reader.stdin?.write('end\n')
    return JSON.parse((await reader).stdout)
  }
}

test.each([
  ['about to end', 10],
  ['that has ended', -10],
])('fifty runs at once with a sign-in %s renew it once, and it is whole at every moment', async (_, minutes) => {
  await using bench = await startWorkbench()
  const directory = await writeProfiles(bench)
  const issued = { accessToken: 'canary-access', clientId: 'client-1', clientSecret: 'canary-client', assignments }
  const expiresAt = inMinutes(minutes)
  const entry = bench.aws.addSsoSession({ ...issued, refreshToken: 'canary-refresh', expiresAt })
  await mkdir(join(bench.home, '.aws', 'sso', 'cache'), { recursive: true, mode: 0o700 })
  await writeFile(directory.ssoCachePath('corp'), JSON.stringify(entry), { mode: 0o600 })
  // So long that every run has begun before the first one is done.
  bench.aws.failNext('CreateToken', { kind: 'slow', delayMs: 2_000 })
  const endReader = startReader(directory.ssoCachePath('corp'))
  const command = [process.execPath, toBundlePath(program), '--profile', 'dev', '--cache', 'none']
  const env = { ...bench.environment, PATH: '/usr/bin:/bin' }
  const runs = Array.from({ length: countAtOnce(50) }, () =>
    execa('/bin/sh', ['-c', 'read -r _; exec "$0" "$@" </dev/null', ...command], {
      env,
      extendEnv: false,
      reject: false,
    }),
  )
  for (const run of runs) run.stdin?.end('\n')
  const outcomes = await Promise.all(runs)
  // While the sign-in is good, no run waits for the process that renews it.
  const readEntry = async () => JSON.parse(await readFile(directory.ssoCachePath('corp'), 'utf8'))
  await waitUntil('it is renewed', async () => (await readEntry()).accessToken !== 'canary-access')
  expect({
    outcomes: outcomes.map(({ exitCode, stderr }) => [exitCode, stderr]),
    reader: await endReader(),
    renewals: bench.asked().filter((operation) => operation === 'CreateToken').length,
  }).toEqual({ outcomes: runs.map(() => [0, '']), reader: { torn: 0, isBusy: true }, renewals: 1 })
})

test('nothing of a sign-in is served after a sign-out', async () => {
  await using bench = await startWorkbench()
  bench.aws.sso.addPortal(startUrl, { assignments })
  const directory = await writeProfiles(bench)
  const env = await writeBrowser(bench, 'allow')
  const argv = ['--profile', 'dev']
  // This browser may be done before the run has looked, which then says nothing of it.
  const first = { ...(await runBundle(program, { argv, env })), stderr: '' }
  const background = { argv, env: { ...env, VENDOR_HELPER_CONTEXT: 'background' } }
  const again = await runBundle(program, background)
  await rm(directory.ssoCachePath('corp'))
  const after = await runBundle(program, background)
  expect({ first: toStableValue(first), again, after, tabs: (await readTabs(bench)).length }).toEqual({
    first: prints('{"token":"BEDROCK-KEY"}\n'),
    again: first,
    after: failure(
      4,
      'the SSO session "corp" is not signed in',
      `start a new session, which lets a person sign in, or run: ${program} sign-in --profile dev`,
    ),
    tabs: 1,
  })
})

test('neither the help of the command nor an explanation opens a page', async () => {
  await using bench = await startWorkbench()
  await writeProfiles(bench)
  const env = await writeBrowser(bench, 'allow')
  const help = await runBundle(program, { argv: ['sign-in', '--profile', 'dev', '--help'], env })
  const argv = ['--profile', 'dev', '--explain', '--proxy', 'http://user:canary@127.0.0.1:9']
  const explained = await runBundle(program, { argv, env })
  expect({ help, explained, tabs: await readTabs(bench) }).toEqual({
    help: await runBundle(program, { argv: ['--help'], env }),
    explained: failure(
      4,
      'the SSO session "corp" is not signed in',
      `start a new session, which lets a person sign in, or run, with the options of this run: ${program} sign-in`,
    ),
    tabs: [],
  })
})
