import { expect, onTestFinished, test } from 'vitest'
import { prints } from '../../setup/run-program.ts'
import { startLyingProvider } from '../../stand-ins/lying-provider/lying-provider.ts'
import { startDesk } from './desk.ts'

test('a refresh token that is kept is revoked, also by a person who does not say that it is kept', async () => {
  const desk = await startDesk()
  const provider = await startLyingProvider({})
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  const tokens = { accessToken: 'canary-access', refreshToken: 'canary-refresh', lifeSec: 3_600 }
  await desk.signIn(tokens, [...site, '--refresh-token-store', 'file'])
  const outcome = await desk.run({ argv: ['sign-out', ...site] })
  const revoked = provider.requests.filter(({ endpoint }) => endpoint === 'revoke')
  expect({ ...outcome, revoked: revoked.map(({ parameters }) => parameters.token) }).toEqual({
    status: 0,
    stdout: '',
    stderr: `oidc-token: signed out of ${new URL(provider.issuer).host}\n`,
    revoked: ['canary-refresh', 'canary-access'],
  })
})

test.each([
  ['is told at revocation-url', ['--revocation-url', 'ISSUER/revoke'], ['canary-access'], ''],
  [
    'is not told without it',
    [],
    [],
    'oidc-token: warning: HOST cannot be told of the sign-out, because revocation-url is not set; the tokens that it has issued stay valid until they expire\n',
  ],
])('a provider without discovery %s', async (_, argv, expected, warning) => {
  const desk = await startDesk()
  const provider = await startLyingProvider({})
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const { issuer, clientId } = provider
  const urls = ['--authorization-url', `${issuer}/authorize`, '--token-url', `${issuer}/token`]
  const site = ['--client-id', clientId, ...urls, ...argv.map((word) => word.replace('ISSUER', issuer))]
  await desk.signIn({ accessToken: 'canary-access', lifeSec: 3_600 }, site)
  const { host } = new URL(issuer)
  expect(await desk.run({ argv: ['sign-out', ...site] })).toEqual(
    prints('', `${warning.replace('HOST', host)}oidc-token: signed out of ${host}\n`),
  )
  expect(provider.requests.map(({ parameters }) => parameters.token)).toEqual(expected)
})
