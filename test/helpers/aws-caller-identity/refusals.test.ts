import { expect, test } from 'vitest'
import { failure, keysOf, role, startWorkbench, user } from '../aws-bedrock-token/workbench.ts'

const helper = 'aws-caller-identity'
const warning = (text: string) => `${helper}: warning: ${text}\n`
const advice = "set ttlSec in the client's document, and client-ttl here, to"

test('an audience has to be named', async () => {
  await using bench = await startWorkbench()
  expect(await bench.run({ helper })).toEqual(
    failure(3, 'audience must be set', `set it by argument, variable or file; see: ${helper} --help`, helper),
  )
})

test('a ttl above 840 s is a warning', async () => {
  await using bench = await startWorkbench()
  await bench.write({ config: { default: { region: 'eu-central-1', ...keysOf(bench.aws) } } })
  const said = async (ttl: string) => {
    const argv = ['--audience', 'a', '--cache', 'none', '--client-ttl', ttl]
    const { status, stderr } = await bench.run({ helper, argv })
    return { status, stderr: stderr.replace(/lives 8\d\d s/, 'lives SECONDS s') }
  }
  expect(await Promise.all(['840', '841', '3600'].map(said))).toEqual([
    { status: 0, stderr: '' },
    {
      status: 0,
      stderr: warning(`the token lives SECONDS s, and the client keeps it almost as long, for 841 s: ${advice} 840`),
    },
    { status: 0, stderr: warning(`the token lives SECONDS s, but the client keeps it for 3600 s: ${advice} 840`) },
  ])
})

test('a proof that aws-iam-authenticator does not read any more is a warning', async () => {
  await using bench = await startWorkbench()
  const keys = { AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 'x'.repeat(3000) }
  const argv = ['--audience', 'a', '--region', 'eu-central-1', '--client-ttl', '600']
  const { status, stderr } = await bench.run({ helper, argv, env: keys })
  expect({ status, stderr: stderr.replace(/has \d+ bytes/, 'has N bytes') }).toEqual({
    status: 0,
    stderr: warning(
      'the proof has N bytes, and aws-iam-authenticator reads at most 4096: have the session made with fewer or shorter tags',
    ),
  })
})

test('a proof ends with credentials that have less than 15 minutes', async () => {
  await using bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user] })
  const inTenMinutes = new Date(Date.now() + 600_000).toISOString()
  const keys = { AWS_ACCESS_KEY_ID: 'ASIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 's', AWS_CREDENTIAL_EXPIRATION: inTenMinutes }
  const argv = ['--audience', 'a', '--region', 'eu-central-1', '--client-ttl', '600', '--explain']
  const { status, stdout, stderr } = await bench.run({ helper, argv, env: keys })
  expect({ status, stderr, lives: /lives 5[89]\d s|lives 600 s/.test(stdout) }).toEqual({
    status: 0,
    stderr: '',
    lives: true,
  })
})
