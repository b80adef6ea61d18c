import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { GatewayProcess } from '../gateway-process.ts'
import type { GatewayOutcome } from '../stage/outcome.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer, forbidden, passes, told, unauthorized } from '../stage/scenario.ts'
import type { Stage } from '../stage/stage.ts'
import { testScenarios } from '../stage/test-scenarios.ts'
import { startHaproxyWithJwt } from './haproxy-recipes.ts'
import { writeKeys } from './write-keys.ts'

const dana = passes([`x-user: ${people.dana.email}`])

const unreadable = (title: string) =>
  told(
    unauthorized('malformed'),
    `the gateway cannot read the token, which is ${title}`,
    'look at what the helper prints: gatepass verify -- followed by its command; choose one for this gateway: gatepass choose',
  )
const proof = unreadable('a proof of an AWS identity')

const lacking = told(
  forbidden('no-rule'),
  'the token is good, and no rule of the gateway lets its owner pass: no rule accepts its claims: groups (no accepted value)',
  `ask the gateway's operators for a rule for this identity of "issuer"; tell them the line above`,
)

const untrusted = (issuer: string) =>
  told(
    unauthorized('issuer'),
    `the gateway does not trust the issuer of the token, "${issuer}"`,
    "have the gateway's operators add that issuer to the policy, as it is written here, or use the identity provider that they trust",
  )

/** The checks that it makes by itself, as the page says: one issuer of JWTs, no AWS, no single use, no verifier. */
const otherwise: Readonly<Record<string, GatewayOutcome>> = {
  'a token of aws-identity-token passes': told(
    unauthorized('algorithm'),
    'the gateway does not take tokens that are signed by "ES384"',
    'have the identity provider sign with one that the gateway takes, or have its operators accept this one',
  ),
  'a proof of aws-caller-identity passes': proof,
  'a token for another audience is refused': told(
    unauthorized('audience'),
    'the token is for another audience than this gateway: it is for "https://another.example"',
    'ask for a token for the name that the gateway expects: by --audience, or by the scopes or the resource of the gateway',
  ),
  'a proof for another gateway is refused': proof,
  'a proof of another account is refused': proof,
  'a person whom no rule lets pass is refused': lacking,
  'a proof that leads to a foreign host is refused': proof,
  'a token that is accepted once passes': lacking,
  'a token that is accepted once does not pass again': lacking,
  'a token of an unknown kind is refused': unreadable('a secret of the platform'),
  'a key that the issuer has just made is known without a restart': untrusted('rotatingIssuer'),
  'a key that the issuer has withdrawn is refused as soon as the verifier knows of it': untrusted('rotatingIssuer'),
  'a token of an issuer that is away is refused': untrusted('absentIssuer'),
  'nobody passes while the verifier is away': dana,
}

async function start({ directory, model, issuer }: Stage): Promise<GatewayProcess> {
  await writeKeys(issuer.jwksUrl, directory)
  const key = join(directory, 'key-1.pem')
  return startHaproxyWithJwt({ directory, modelPort: model.port, issuer: issuer.issuer, key })
}

testScenarios('HAProxy with jwt_verify', start, {
  otherwise,
  further: (played) => {
    test('a token passes as often as it comes', async () => {
      const { stage, send } = played()
      const headers = [bearer(await stage.issuer.sign({ ...people.dana, aud: audience.jwt }))]
      expect([await send({ headers }), await send({ headers })]).toEqual([dana, dana])
    })

    test.each([
      ['a list', [audience.jwt]],
      ['the third of a list', ['https://a.example', 'https://b.example', audience.jwt]],
    ])('an audience in %s is accepted', async (_, aud) => {
      const { stage, send } = played()
      expect(await send({ headers: [bearer(await stage.issuer.sign({ ...people.dana, aud }))] })).toEqual(dana)
    })

    test('a new key is known after a line for it and a reload', async () => {
      const { stage, gateway, send } = played()
      await stage.issuer.rotate()
      const headers = [bearer(await stage.issuer.sign({ ...people.dana, aud: audience.jwt }))]
      expect(await send({ headers })).toEqual(unauthorized('signature'))
      await writeKeys(stage.issuer.jwksUrl, stage.directory)
      await addKey(join(stage.directory, 'haproxy.cfg'))
      gateway.reload('SIGUSR2')
      for (let tries = 0; tries < 100 && (await send({ headers })).status !== 200; tries += 1) await sleep(50)
      expect(await send({ headers })).toEqual(dana)
      expect(await send({ headers: [bearer(stage.tokens.person)] })).toEqual(dana)
    })
  },
})

/** Returns a second line beside that of the first key. */
async function addKey(file: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const line = /^ *acl genuine .*\n/m.exec(before)?.[0] ?? ''
  await writeFile(
    file,
    before.replace(line, () => line + line.replace('key-1', 'key-2')),
  )
}
