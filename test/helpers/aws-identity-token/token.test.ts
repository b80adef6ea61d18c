import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { role, user } from '../../stand-ins/aws/start-aws-desk.ts'
import { audience, failure, lifeOf, own, program, startDesk, tokenOf, verify } from './desk.ts'

test('the token is signed by the issuer of the account, about the identity and for the audience', async () => {
  const desk = await startDesk()
  const claims = await verify(tokenOf(await desk.run({ argv: own })), desk)
  const { exp: _exp, iat: _iat, jti: _jti, iss: _iss, ...rest } = claims
  expect({ claims: rest, requests: desk.aws.requests }).toEqual({
    claims: {
      alg: 'ES384',
      sub: user,
      aud: audience,
      'https://sts.amazonaws.com/': { aws_account: '111122223333', source_region: 'eu-central-1' },
    },
    requests: [
      {
        operation: 'GetWebIdentityToken',
        status: 200,
        parameters: {
          'Audience.member.1': 'https://platform.example',
          DurationSeconds: '3600',
          SigningAlgorithm: 'ES384',
        },
        accessKeyId: 'AKIASTANDIN000000001',
      },
    ],
  })
})

test('every parameter of the operation can be set', async () => {
  const desk = await startDesk()
  const tags = ['--tag', 'team=a&b', '--tag', 'note=x = ü', '--tag', 'empty=']
  const argv = [...own, '--audience', 'second', '--algorithm', 'RS256', '--lifetime', '900', ...tags]
  const claims = await verify(tokenOf(await desk.run({ argv: [...argv, '--client-ttl', '600'] })), desk)
  const { exp: _exp, iat: _iat, jti: _jti, iss: _iss, ...rest } = claims
  expect({ ...rest, life: lifeOf(claims) }).toEqual({
    alg: 'RS256',
    aud: [audience, 'second'],
    life: 900,
    sub: user,
    'https://sts.amazonaws.com/': {
      aws_account: '111122223333',
      source_region: 'eu-central-1',
      request_tags: { team: 'a&b', note: 'x = ü', empty: '' },
    },
  })
})

test.each([
  [[], 3600],
  [['--client-ttl', '600'], 1200],
  [['--client-ttl', '20', '--lifetime', '60'], 60],
])('with %j an identity token is asked for %i s', async (argv, life) => {
  const desk = await startDesk()
  expect(lifeOf(await verify(tokenOf(await desk.run({ argv: [...own, ...argv] })), desk))).toBe(life)
})

test('an identity token ends before its credentials', async () => {
  const desk = await startDesk()
  const life = lifeOf(await verify(tokenOf(await desk.run({ argv: [...own, '--profile', 'build'] })), desk))
  expect(life).toBeGreaterThan(3600 - 30)
  expect(life).toBeLessThan(3600)
})

test('the earlier of two ends counts', async () => {
  const desk = await startDesk()
  desk.aws.outboundIdentity.stateEarlierEnd(600)
  const { status, stderr } = await desk.run({ argv: own })
  const [, lifeSec] = /lives (\d+) s, but the client keeps it for 3600 s/.exec(stderr) ?? []
  expect({ status, isEarlier: Number(lifeSec) <= 3000 }).toEqual({ status: 0, isEarlier: true })
})

test('a second run is served from the cache', async () => {
  const desk = await startDesk()
  const argv = [...own, '--client-ttl', '600']
  const first = tokenOf(await desk.run({ argv }))
  const second = tokenOf(await desk.run({ argv }))
  const directory = join(desk.home, '.cache', 'gatepass')
  const [entry = ''] = (await readdir(directory)).filter((name) => name.endsWith('.json'))
  const kept = JSON.parse(await readFile(join(directory, entry), 'utf8')).token
  expect({ second, kept, asked: desk.aws.requests.map(({ operation }) => operation) }).toEqual({
    second: first,
    kept: first,
    asked: ['GetWebIdentityToken'],
  })
})

test('headers are filled in with claims of the token', async () => {
  const desk = await startDesk()
  const template = 'X-Who: {role} of {account} in {region} as {profile}: {subject} for {claims.aud}'
  const { stdout } = await desk.run({ argv: [...own, '--profile', 'build', '--header', template] })
  const who = `build of 444455556666 in eu-central-1 as build: ${role.replace('teams/', '')} for ${audience}`
  expect(JSON.parse(stdout).headers).toEqual({ 'X-Who': who })
})

test('AWS is asked who the caller is only for facts that the token does not have', async () => {
  const desk = await startDesk()
  const headers = ['--header', 'X-Account: {account}']
  expect(JSON.parse((await desk.run({ argv: [...own, ...headers] })).stdout).headers).toEqual({
    'X-Account': '111122223333',
  })
  await desk.run({ argv: [...own, ...headers, '--header', 'X-Arn: {arn}'] })
  expect(desk.aws.requests.map(({ operation }) => operation)).toEqual([
    'GetWebIdentityToken',
    'GetCallerIdentity',
    'GetWebIdentityToken',
  ])
})

test('on a machine whose clock is ten minutes behind, the token is dated by AWS’s, and the warning says so', async () => {
  const desk = await startDesk()
  desk.aws.setClockOffset(600_000)
  const { status, stderr } = await desk.run({ argv: own })
  expect({ status, stderr, requests: desk.aws.requests.map((request) => request.status) }).toEqual({
    status: 0,
    stderr: `${program}: warning: this machine's clock is 10 min behind AWS's; what is signed is dated by AWS's clock; set the clock of this machine\n`,
    requests: [403, 200],
  })
})

test.each<[argv: string[], problem: string, hint: string]>([
  [
    Array.from({ length: 11 }, (_, index) => ['--audience', `a${index}`]).flat(),
    'audience: 11 are given',
    'set 1 to 10, each of at most 1000 characters',
  ],
  [['--audience', ''], 'audience: one is empty or too long', 'set 1 to 10, each of at most 1000 characters'],
])('%j is a usage error', async (argv, problem, hint) => {
  const desk = await startDesk()
  expect(await desk.run({ argv })).toEqual(failure(2, problem, hint))
})

test.each([
  ['team', 'one has no name or no "="'],
  ['=value', 'one has no name or no "="'],
  [`${'n'.repeat(129)}=v`, 'one is too long'],
  [`n=${'v'.repeat(257)}`, 'one is too long'],
])('the tag %s is a usage error', async (tag, problem) => {
  const desk = await startDesk()
  const hint =
    "write each as 'NAME=VALUE', at most 50, with a name of at most 128 and a value of at most 256 characters"
  expect(await desk.run({ argv: [...own, '--tag', tag] })).toEqual(failure(2, `tag: ${problem}`, hint))
})

test('without an audience nothing is asked', async () => {
  const desk = await startDesk()
  expect({ outcome: await desk.run(), requests: desk.aws.requests }).toEqual({
    outcome: failure(3, 'audience must be set', `set it by argument, variable or file; see: ${program} --help`),
    requests: [],
  })
})
