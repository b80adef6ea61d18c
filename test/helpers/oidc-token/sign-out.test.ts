import { expect, onTestFinished, test } from 'vitest'
import { startLyingProvider } from '../../stand-ins/lying-provider/lying-provider.ts'
import { startDesk } from './desk.ts'

test('a refresh token that is kept is revoked, also by a person who does not say that it is kept', async () => {
  const desk = await startDesk()
  const provider = await startLyingProvider({})
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const site = ['--client-id', provider.clientId, '--issuer', provider.issuer]
  const tokens = { accessToken: 'canary-access', refreshToken: 'canary-refresh', lifeSec: 3_600 }
  await desk.signIn(tokens, [...site, '--refresh-token-store', 'file'])
  expect(await desk.run({ argv: ['sign-out', ...site] })).toEqual({
    ...{ status: 0, stdout: '' },
    stderr: `oidc-token: signed out of ${new URL(provider.issuer).host}\n`,
  })
  const revoked = provider.requests.filter(({ endpoint }) => endpoint === 'revoke')
  expect(revoked.map(({ parameters }) => parameters.token)).toEqual(['canary-refresh', 'canary-access'])
})
