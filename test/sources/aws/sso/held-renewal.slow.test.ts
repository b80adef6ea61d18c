import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { toBundlePath } from '../../../../pkg-scripts/tree.ts'
import { readToken } from '../../../helpers/aws-bedrock-token/read-token.ts'
import { inMinutes, signInToSso } from '../../../helpers/aws-bedrock-token/sign-in.ts'
import { startWorkbench, type Workbench } from '../../../helpers/aws-bedrock-token/workbench.ts'
import { prepareRun } from '../../../setup/prepare-run.ts'
import { waitUntil } from '../../../setup/wait-until.ts'

/** Prepares a person who signed in to SSO, until so many minutes from now; AWS takes its time for the renewal. */
async function startDue(minutes: number) {
  const bench = await startWorkbench()
  const expiresAt = inMinutes(minutes)
  const directory = await signInToSso(bench, { expiresAt, refreshToken: 'canary-refresh' })
  bench.aws.failNext('CreateToken', { kind: 'slow', delayMs: 1_500 })
  const read = async () => JSON.parse(await readFile(directory.ssoCachePath('corp'), 'utf8')) as Record<string, string>
  const isRenewed = async () => (await read()).refreshToken === 'canary-refresh-refreshed'
  return { bench, isRenewed, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() }
}

const argv = ['--profile', 'dev', '--cache', 'none']

function begin(bench: Workbench) {
  const env = Object.fromEntries(Object.entries(bench.environment).filter(([, value]) => value !== undefined))
  const run = prepareRun(toBundlePath('aws-bedrock-token'), argv, { ...env, PATH: '/usr/bin:/bin' })
  run.begin()
  return run
}

const renewals = ({ aws }: Workbench) => aws.requests.filter(({ operation }) => operation === 'CreateToken').length

test('a run that is killed while AWS renews the SSO sign-in loses nothing', async () => {
  await using due = await startDue(-5)
  const { bench, isRenewed } = due
  const victim = begin(bench)
  // Long after AWS was asked, and before it answers.
  setTimeout(() => victim.kill('SIGKILL'), 1_000)
  const killed = await victim.outcome
  await waitUntil('it is renewed', isRenewed)
  const next = await begin(bench).outcome
  const accessKeyId = readToken(next).accessKeyId
  expect({ killed, stderr: next.stderr, accessKeyId, renewals: renewals(bench) }).toEqual({
    killed: { status: 'SIGKILL', stdout: '', stderr: '' },
    stderr: '',
    accessKeyId: 'ASIASTANDIN000000001',
    renewals: 1,
  })
})

test('no run waits for the renewal of an SSO sign-in that is still good', async () => {
  await using due = await startDue(10)
  const { bench, isRenewed } = due
  const outcomes = await Promise.all([begin(bench), begin(bench), begin(bench)].map(({ outcome }) => outcome))
  const isRenewedAtOnce = await isRenewed()
  await waitUntil('it is renewed', isRenewed)
  const ends = outcomes.map(({ status, stderr }) => [status, stderr])
  expect({ ends, isRenewedAtOnce, renewals: renewals(bench) }).toEqual({
    ends: Array(3).fill([0, '']),
    isRenewedAtOnce: false,
    renewals: 1,
  })
})
