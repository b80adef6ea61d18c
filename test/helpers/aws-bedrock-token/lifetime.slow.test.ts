import { expect, test } from 'vitest'
import { readToken } from './read-token.ts'
import { failure, keysOf, program, role, startWorkbench, user } from './workbench.ts'

const region = 'eu-central-1'

/** Profile `dev` has keys that do not expire; profile `build` a role whose credentials last for `duration_seconds`. */
async function startWithRole(duration_seconds: string) {
  const bench = await startWorkbench()
  bench.aws.addRole({ arn: role, trusts: [user], maxDurationSec: 43_200 })
  await bench.write({
    config: {
      'profile dev': { region, ...keysOf(bench.aws) },
      'profile build': { role_arn: role, source_profile: 'dev', duration_seconds, region },
    },
  })
  return bench
}

test.each([
  [['--client-ttl', '600'], 1200],
  [[], 7200],
  [['--client-ttl', '30000'], 43_200],
  [['--client-ttl', '600', '--lifetime', '900'], 900],
  [['--lifetime', '43200'], 43_200],
])('with keys that do not end, %j asks for a life of %i s', async (options, expiresSec) => {
  await using bench = await startWithRole('3600')
  const token = readToken(await bench.run({ argv: ['--profile', 'dev', ...options] }))
  expect(token.expiresSec).toBe(expiresSec)
})

test.each([
  ['3600', [], 3600],
  ['3600', ['--lifetime', '43200'], 3600],
  ['7200', ['--lifetime', '43200'], 7200],
  ['7200', ['--client-ttl', '3000', '--lifetime', '5000'], 5000],
])('credentials of %s s with %j make a token of at most %i s', async (duration, options, atMost) => {
  await using bench = await startWithRole(duration)
  const { expiresSec } = readToken(await bench.run({ argv: ['--profile', 'build', ...options] }))
  expect(expiresSec).toBeGreaterThan(atMost - 30)
  expect(expiresSec).toBeLessThanOrEqual(atMost)
})

test('credentials of 15 minutes with a ttl of one hour give a warning that says what to change', async () => {
  await using bench = await startWithRole('900')
  const { status, stderr } = await bench.run({ argv: ['--profile', 'build'] })
  const lifeSec = Number(/lives (\d+) s/.exec(stderr)?.[1])
  expect({ status, stderr, isCounted: lifeSec > 870 && lifeSec <= 900 }).toEqual({
    status: 0,
    stderr: `${program}: warning: the token lives ${lifeSec} s, but the client keeps it for 3600 s: set ttlSec in the client's document, and client-ttl here, to ${lifeSec - 60}\n`,
    isCounted: true,
  })
})

test('a life beyond what Bedrock grants is a usage error', async () => {
  await using bench = await startWithRole('3600')
  expect(await bench.run({ argv: ['--lifetime', '43201'] })).toEqual(
    failure(2, '--lifetime: expected at most 43200 seconds', `see: ${program} --help`),
  )
})
