import { expect, test } from 'vitest'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { failure, printed, startDesk } from './desk.ts'
import { toUnsignedJwt } from './seed-sign-in.ts'

const hour = 3_600
const silent = toContextVariables('background')
const refresh = toContextVariables('mid-session-refresh')
const old = { refreshToken: 'canary-first', lifeSec: 4 * hour, ageSec: 60 }

/** Prepares a sign-in whose first renewals are answered with what fails its checks: an ID token that came with another access token. */
async function startFaulty(faults: number) {
  const claims = { iss: 'https://id.example.com', sub: 'dana', aud: 'gatepass', iat: 1, exp: 4_000_000_000 }
  const idToken = toUnsignedJwt(claims)
  const renewed = (number: number) =>
    toUnsignedJwt({ ...claims, jti: number, ...(number <= faults && { at_hash: 'AAAA' }) })
  const desk = await startDesk((number) => ({ id_token: renewed(number) }))
  const argv = [...desk.site, '--refresh-token-store', 'file']
  await desk.signIn({ ...old, idToken }, argv)
  const { host } = new URL(desk.provider.url)
  const toSignIn = `start a new session, which lets a person sign in, or run: oidc-token sign-in ${argv.join(' ')}`
  const faulty = failure(4, `the ID token of ${host} was issued with another access token (at_hash)`, toSignIn)
  return { desk, argv, idToken, renewed, faulty }
}

test('the earlier token is served to nobody after a renewal that failed its checks', async () => {
  const { desk, argv, idToken, renewed, faulty } = await startFaulty(4)
  const runs = [await desk.run({ argv, env: silent }), await desk.run({ argv, env: refresh })]
  // Each time it is asked for twice, with the refresh token that came.
  expect(desk.provider.asked()).toBe(2)
  for (let silentRuns = 0; silentRuns < 3; silentRuns += 1) runs.push(await desk.run({ argv, env: silent }))
  const [before, after] = [printed({ token: idToken }), printed({ token: renewed(5) })]
  expect(runs).toEqual([before, faulty, faulty, after, after])
})

test('the hint has the command that signs in although sign-in is off', async () => {
  const { desk, argv, faulty } = await startFaulty(2)
  const hint = 'sign-in is off; to sign in, run with the other options of this run: oidc-token sign-in --sign-in auto'
  expect(await desk.run({ argv: [...argv, '--sign-in', 'off'], env: refresh })).toEqual({
    ...faulty,
    stderr: faulty.stderr.replace(/hint: .*/, `hint: ${hint}`),
  })
})
