import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listCachedTokens } from '../../../src/helper/cache/inventory.ts'
import { identityToken, issuer } from './identity-token.ts'
import { parseToken, readToken, validateToken } from './read-token.ts'
import { inMinutes, signInToSso } from './sign-in.ts'
import { keysOf, program, role, startWorkbench, user, type Workbench } from './workbench.ts'

const region = 'eu-central-1'

const warning = (direction: string, minutes = 10) =>
  `${program}: warning: this machine's clock is ${minutes} min ${direction} AWS's; what is signed is dated by AWS's clock; set the clock of this machine\n`

/** Profile `dev` asks AWS in one of the three ways in which AWS tells the time. */
const ways: Record<string, (bench: Workbench) => Promise<unknown>> = {
  'a signed request': (bench) => {
    bench.aws.addRole({ arn: role, trusts: [user] })
    const config = { 'profile dev': { role_arn: role, source_profile: 'base', region } }
    return bench.write({ config, credentials: { base: keysOf(bench.aws) } })
  },
  'an identity token': async (bench) => {
    const web_identity_token_file = join(bench.home, 'token')
    await writeFile(web_identity_token_file, identityToken())
    bench.aws.addIdentityProvider({ issuer })
    bench.aws.addRole({ arn: role, trusts: [issuer] })
    await bench.write({ config: { 'profile dev': { role_arn: role, web_identity_token_file, region } } })
  },
  'an SSO sign-in': (bench) => signInToSso(bench),
}

const directions = [
  ['behind', 10],
  ['ahead of', -10],
] as const

test.each(
  Object.keys(ways).flatMap((way) => directions.map(([direction, minutes]) => [way, direction, minutes] as const)),
)(
  'with %s, a clock that is ten minutes %s AWS’s is corrected in the token and reported once',
  async (way, direction, minutes) => {
    await using bench = await startWorkbench()
    await ways[way]?.(bench)
    bench.aws.setClockOffset(minutes * 60_000)
    const outcome = await bench.run({ argv: ['--profile', 'dev'] })
    const token = parseToken(outcome)
    const { accessKeyId, region, signedAt, expiresSec } = token
    const awayMs = Math.abs(signedAt.getTime() - inMinutes(minutes).getTime())
    expect({
      ...outcome,
      stdout: validateToken(token, bench.aws, { now: inMinutes(minutes) }),
      isByTheirClock: awayMs < 30_000,
    }).toEqual({
      status: 0,
      stdout: {
        ok: true,
        accessKeyId,
        region,
        service: 'bedrock',
        signedAt,
        expiresAt: new Date(signedAt.getTime() + expiresSec * 1000),
      },
      stderr: warning(direction),
      isByTheirClock: true,
    })
  },
)

/** Minutes that are tolerated, and three that are reported: less than what AWS itself refuses. */
test.each([1.5, -1.5, 3, -3])(
  'a token that is minted with a clock %s minutes behind AWS’s is kept no longer than it is valid',
  async (minutes) => {
    await using bench = await startWorkbench()
    await signInToSso(bench)
    bench.aws.setClockOffset(minutes * 60_000)
    const outcome = await bench.run({ argv: ['--profile', 'dev'] })
    const said = warning(minutes > 0 ? 'behind' : 'ahead of', Math.abs(minutes))
    const { signedAt, expiresSec } = parseToken(outcome)
    const [kept] = await listCachedTokens(join(bench.home, '.cache', 'gatepass'))
    const signedAwayMs = signedAt.getTime() - inMinutes(minutes).getTime()
    const endsHere = signedAt.getTime() + expiresSec * 1000 - minutes * 60_000
    const endsAwayMs = (kept?.entry?.expiresAt ?? 0) - endsHere
    expect({
      ...outcome,
      stdout: { isByTheirClock: Math.abs(signedAwayMs) < 30_000, isKeptByOurs: Math.abs(endsAwayMs) < 5_000 },
    }).toEqual({
      status: 0,
      stdout: { isByTheirClock: true, isKeptByOurs: true },
      stderr: Math.abs(minutes) < 2 ? '' : said,
    })
  },
)

test('a clock that agrees with AWS’s within a second is not corrected', async () => {
  await using bench = await startWorkbench()
  await signInToSso(bench)
  readToken(await bench.run({ argv: ['--profile', 'dev'] }))
  const [kept] = await listCachedTokens(join(bench.home, '.cache', 'gatepass'))
  expect(kept?.entry?.clockOffsetMs).toBe(0)
})
