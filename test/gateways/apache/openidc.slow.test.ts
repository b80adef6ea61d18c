import { describe, expect, test } from 'vitest'
import type { GatewayProcess } from '../gateway-process.ts'
import type { GatewayOutcome } from '../stage/outcome.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer, passes } from '../stage/scenario.ts'
import type { Stage } from '../stage/stage.ts'
import { testScenarios } from '../stage/test-scenarios.ts'
import { startApacheWithOpenidc } from './apache-recipes.ts'
import { startKeysOverTls } from './keys-over-tls.ts'

const dana = passes([`x-user: ${people.dana.email}`])

/** It gives no reason, and every token that is not genuine gets the same answer. */
const refused: GatewayOutcome = {
  status: 401,
  error: { type: 'authentication_error', reason: undefined as unknown as string }, // the envelope has none
  challenge: 'Bearer invalid_token',
  arrived: [],
}

/** A claim that does not suffice, also the audience. */
const forbidden: GatewayOutcome = {
  status: 403,
  error: { type: 'permission_error', reason: undefined as unknown as string }, // the same
  challenge: 'Bearer insufficient_scope',
  arrived: [],
}

/** What it does by itself, as the page says: one issuer of JWTs, no AWS, no single use, no verifier. */
const otherwise: Readonly<Record<string, GatewayOutcome>> = {
  'a token of aws-identity-token passes': refused,
  'a proof of aws-caller-identity passes': refused,
  'another audience': forbidden,
  'a proof for another gateway': refused,
  'a token that has expired': refused,
  'a proof of another account': refused,
  'a person whom no rule lets pass': forbidden,
  'another issuer': refused,
  'a claim that was changed': refused,
  'no algorithm': refused,
  'a proof that leads to a foreign host': refused,
  'a token that is accepted once passes': forbidden,
  'and not again': forbidden,
  'no token': { ...refused, challenge: 'Bearer invalid_request' },
  'a token of no known kind': refused,
  'two tokens': refused,
  'a key that the issuer has just made is known without a restart': refused,
  'a key that the issuer has withdrawn is refused as soon as the verifier knows of it': refused,
  'an issuer that is away': refused,
  'a verifier that is away': dana,
}

async function start({ directory, model, issuer }: Stage): Promise<GatewayProcess> {
  const keys = await startKeysOverTls(issuer.jwksUrl, directory)
  const settings = { directory, modelPort: model.port, issuer: issuer.issuer, jwksUrl: keys.url, ca: keys.ca }
  const apache = await startApacheWithOpenidc(settings)
  return { ...apache, close: () => apache.close().finally(keys.close) }
}

testScenarios('Apache with mod_auth_openidc', start, {
  otherwise,
  further: (played) => {
    describe('keys', () => {
      test('a new one is known without a restart, and an old one good for an hour', async () => {
        const { stage, send } = played()
        await stage.issuer.rotate()
        stage.issuer.withdrawOldKeys()
        const renewed = await stage.issuer.sign({ ...people.dana, aud: audience.jwt })
        expect(await send({ headers: [bearer(stage.tokens.person)] })).toEqual(dana)
        expect(await send({ headers: [bearer(renewed)] })).toEqual(dana)
      })
    })

    test('a token passes as often as it comes', async () => {
      const { stage, send } = played()
      const headers = [bearer(await stage.issuer.sign({ ...people.dana, aud: audience.jwt }))]
      expect([await send({ headers }), await send({ headers })]).toEqual([dana, dana])
    })
  },
})
