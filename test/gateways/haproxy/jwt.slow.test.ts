import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { GatewayProcess } from '../gateway-process.ts'
import type { GatewayOutcome } from '../stage/outcome.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer, forbidden, passes, unauthorized } from '../stage/scenario.ts'
import type { Stage } from '../stage/stage.ts'
import { testScenarios } from '../stage/test-scenarios.ts'
import { startHaproxyWithJwt } from './haproxy-recipes.ts'
import { writeKeys } from './write-keys.ts'

const dana = passes([`x-user: ${people.dana.email}`])

/** What it does by itself, as the page says: one issuer of JWTs, no AWS, no single use, no verifier. */
const otherwise: Readonly<Record<string, GatewayOutcome>> = {
  'a token of aws-identity-token passes': unauthorized('algorithm'),
  'a proof of aws-caller-identity passes': unauthorized('malformed'),
  'a proof for another gateway': unauthorized('malformed'),
  'a proof of another account': unauthorized('malformed'),
  'a proof that leads to a foreign host': unauthorized('malformed'),
  'a token that is accepted once passes': forbidden('no-rule'),
  'and not again': forbidden('no-rule'),
  'a token of no known kind': unauthorized('malformed'),
  'a key that the issuer has just made is known without a restart': unauthorized('issuer'),
  'a key that the issuer has withdrawn is refused as soon as the verifier knows of it': unauthorized('issuer'),
  'an issuer that is away': unauthorized('issuer'),
  'a verifier that is away': dana,
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
    ])('an audience in %s', async (_, aud) => {
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

/** A second line beside that of the first key. */
async function addKey(file: string): Promise<void> {
  const before = await readFile(file, 'utf8')
  const line = /^ *acl genuine .*\n/m.exec(before)?.[0] ?? ''
  await writeFile(
    file,
    before.replace(line, () => line + line.replace('key-1', 'key-2')),
  )
}
