import { beforeAll, expect, test } from 'vitest'
import { audience, callers, people } from '../stage/print-tokens.ts'
import { type Stage, startStage } from '../stage/stage.ts'
import { prepareRecipe, type RecipeOutcome } from './run-recipe.ts'

let stage: Stage
let run: (keys: readonly string[]) => Promise<RecipeOutcome[]>

beforeAll(async () => {
  stage = await startStage()
  run = await prepareRecipe({ directory: stage.directory, verifierSocket: stage.verifier.socket })
  return async () => stage.close()
})

const dana = { api_key: `gatepass:${people.dana.email}`, user_id: people.dana.email, team_id: null }
const build = { api_key: `gatepass:${callers.own}`, user_id: callers.own, team_id: '111122223333' }
const good = { ...people.dana, aud: audience.jwt }

/** Returns the members by which refusals differ. */
const summarize = ({ code, type, headers }: RecipeOutcome) => ({
  code,
  type,
  reason: (headers as Record<string, string>)['gatepass-refusal'],
  challenge: (headers as Record<string, string>)['www-authenticate']?.split(/,|$/)[0],
})

const refused = (code: number, type: string, reason: string) => ({
  code,
  type,
  reason,
  challenge: code === 503 ? undefined : 'Bearer realm="gatepass"',
})

test('tokens of three helpers name their owners, also behind the word of the scheme', async () => {
  const { person, awsJwt, proof } = stage.tokens
  expect(await run([person, `Bearer ${person}`, `bearer  ${person}`, awsJwt, proof])).toEqual([
    dana,
    dana,
    dana,
    build,
    build,
  ])
})

test('every other token is refused with its reason', async () => {
  const once = await stage.issuer.sign({ aud: audience.jwt, sub: 'batch-1' })
  const tokens = {
    '': refused(401, 'authentication_error', 'no-token'),
    'sk-vendor-oat-0123456789': refused(401, 'authentication_error', 'unknown-kind'),
    [await stage.issuer.sign({ ...good, aud: 'https://another.example' })]: refused(
      401,
      'authentication_error',
      'audience',
    ),
    [await stage.issuer.sign({ ...people.guest, aud: audience.jwt })]: refused(403, 'permission_error', 'no-rule'),
    [await stage.foreignIssuer.sign(good)]: refused(401, 'authentication_error', 'issuer'),
    [stage.tokens.foreignProof]: refused(403, 'permission_error', 'no-rule'),
    [await stage.absentIssuer.sign(good)]: refused(503, 'api_error', 'keys-unavailable'),
  }
  expect((await run(Object.keys(tokens))).map(summarize)).toEqual(Object.values(tokens))
  const [first, again] = await run([once, once])
  expect([first, summarize(again ?? {})]).toEqual([
    { api_key: 'gatepass:batch-1', user_id: 'batch-1', team_id: null },
    refused(401, 'authentication_error', 'replayed'),
  ])
})

test('a verifier that is away lets nobody pass', async () => {
  await stage.verifier.stop()
  expect((await run([stage.tokens.person])).map(summarize)).toEqual([refused(503, 'api_error', 'verifier-unavailable')])
  await stage.verifier.start()
})
