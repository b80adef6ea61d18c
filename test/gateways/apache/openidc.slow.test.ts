import { describe, expect, test } from 'vitest'
import type { GatewayProcess } from '../gateway-process.ts'
import type { GatewayOutcome } from '../stage/outcome.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer, passes, told } from '../stage/scenario.ts'
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

const invalid = 'the gateway says that the token is not valid, but not why'

/** The token's owner and audience are shown for the comparison. */
const unexplained = (issuer: string) =>
  told(
    refused,
    invalid,
    `ask the gateway's operators which audience and issuer a token must have; this one is for "${audience.jwt}", of "${issuer}"; then see which check fails: gatepass verify --issuer URL --audience NAME -- followed by the helper's command`,
  )

const noJwt = (title: string) =>
  told(
    refused,
    `${invalid}; it is ${title}, and many gateways take JWTs only`,
    "ask the gateway's operators which kind they take, and choose a helper for that: gatepass choose",
  )
const proof = noJwt('a proof of an AWS identity')

const lacking = (aud: string) =>
  told(
    forbidden,
    'the gateway accepts the token as genuine, but a claim or scope that it requires is missing',
    `ask the gateway's operators which claims they require of tokens; this one is for "${aud}", of "issuer"`,
  )

/** The checks that it makes by itself, as the page says: one issuer of JWTs, no AWS, no single use, no verifier. */
const otherwise: Readonly<Record<string, GatewayOutcome>> = {
  'a token of aws-identity-token passes': unexplained('awsIssuer'),
  'a proof of aws-caller-identity passes': proof,
  'a token for another audience is refused': lacking('https://another.example'),
  'a proof for another gateway is refused': proof,
  'a token that has expired is refused': told(
    refused,
    'the token has expired',
    'check whether the helper caches expired tokens',
  ),
  'a proof of another account is refused': proof,
  'a person whom no rule lets pass is refused': lacking(audience.jwt),
  'a token of another issuer is refused': unexplained('foreignIssuer'),
  'a token with a changed claim is refused': unexplained('issuer'),
  'a token without an algorithm is refused': unexplained('issuer'),
  'a proof that leads to a foreign host is refused': proof,
  'a token that is accepted once passes': lacking(audience.jwt),
  'a token that is accepted once does not pass again': lacking(audience.jwt),
  'a request without a token is refused': told(
    { ...refused, challenge: 'Bearer invalid_request' },
    'the gateway finds no token in the request, or more than one',
    "ask the gateway's operators from which header they take the token, and whether a proxy in between removes or adds one",
  ),
  'a token of an unknown kind is refused': noJwt('a secret of the platform'),
  'a request with two tokens is refused': told(
    refused,
    invalid,
    'remove authorization from customHeaders and from the helper: the gateway may have read that instead',
  ),
  'a key that the issuer has just made is known without a restart': unexplained('rotatingIssuer'),
  'a key that the issuer has withdrawn is refused as soon as the verifier knows of it': unexplained('rotatingIssuer'),
  'a token of an issuer that is away is refused': unexplained('absentIssuer'),
  'nobody passes while the verifier is away': dana,
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
      test('are known without a restart when new, and valid for an hour when old', async () => {
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
