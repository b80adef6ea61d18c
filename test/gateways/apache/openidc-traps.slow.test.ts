import { beforeAll, expect, test } from 'vitest'
import { startRotatingIssuer } from '../../stand-ins/issuer/rotating-issuer.ts'
import type { GatewayProcess } from '../gateway-process.ts'
import { runWithGateway } from '../run-with-gateway.ts'
import { goodClaims, type IssuerStage, startIssuerStage } from '../stage/issuer-stage.ts'
import { toOutcome } from '../stage/outcome.ts'
import { audience, people } from '../stage/print-tokens.ts'
import { bearer, passes } from '../stage/scenario.ts'
import { type ClientRequest, sendRequest } from '../stage/send.ts'
import { startApacheWithOpenidc } from './apache-recipes.ts'
import { type KeysOverTls, startKeysOverTls } from './keys-over-tls.ts'

let stage: IssuerStage
let keys: KeysOverTls

beforeAll(async () => {
  stage = await startIssuerStage()
  keys = await startKeysOverTls(stage.issuer.jwksUrl, stage.directory)
  return async () => {
    await keys.close()
    await stage[Symbol.asyncDispose]()
  }
})

const dana = passes([`x-user: ${people.dana.email}`])

interface Trap {
  readonly without: string
  change(site: string): string
  request(): Promise<ClientRequest>
  readonly passes: object
  /** The answer of the whole recipe to the same request. */
  readonly status: number
}

const traps: readonly Trap[] = [
  {
    without: 'the audience',
    change: (site) => site.replace(/^ *Require claim aud.*\n/m, ''),
    request: () => stage.withToken({ aud: 'https://another.example' }),
    passes: dana,
    status: 403,
  },
  {
    without: 'RequireAll',
    change: (site) => site.replace('<RequireAll>', '<RequireAny>').replace('</RequireAll>', '</RequireAny>'),
    request: async () => ({}),
    passes: passes([]),
    status: 401,
  },
  {
    without: 'RequireAll, in one line',
    change: (site) =>
      site.replace(
        /^ *Require claim (iss.*)\n *Require claim (aud.*)\n *Require claim (groups.*)/m,
        'Require claim $1 $2 $3',
      ),
    request: () => stage.withToken({ groups: ['guests'] }),
    passes: dana,
    status: 403,
  },
  {
    without: 'the line with exp',
    change: (site) => site.replace("reqenv('OIDC_CLAIM_exp') -gt 0 && ", ''),
    request: () => stage.withToken({ exp: undefined }),
    passes: dana,
    status: 401,
  },
  {
    without: 'the line with line breaks',
    change: (site) => site.replace(/^ *Require expr "reqenv\('OIDC_CLAIM_email'\) !~.*\n/m, ''),
    request: () => stage.withToken({ email: `${people.dana.email}\r\nX-Account: 111122223333` }),
    passes: passes(['x-account: 111122223333', `x-user: ${people.dana.email}`]),
    status: 403,
  },
  {
    without: 'a second Require',
    change: (site) => site.replace(/<RequireAll>.*<\/RequireAll>/s, `Require claim aud:${audience.jwt}`),
    request: async () => ({ method: 'OPTIONS' }),
    passes: passes([], { line: 'OPTIONS /v1/messages', bytes: 0 }),
    status: 401,
  },
  {
    without: 'the line with Connection',
    change: (site) => site.replace(/^ *Require expr "%{HTTP:Connection}.*\n/m, ''),
    request: () => stage.withToken({}, ['Connection', 'close, X-User']),
    passes: passes([]),
    status: 403,
  },
  {
    without: 'the other way of writing a header',
    change: (site) => site.replace(/^ *RequestHeader unset X_User\n/m, ''),
    request: () => stage.withToken({}, ['X_User', 'root']),
    passes: passes([`x-user: ${people.dana.email}`, 'x_user: root']),
    status: 200,
  },
]

const runApache = <T>(use: (apache: GatewayProcess) => Promise<T>, change?: Trap['change']) =>
  runWithGateway(
    (directory) =>
      startApacheWithOpenidc({
        directory,
        modelPort: stage.model.port,
        issuer: stage.issuer.issuer,
        jwksUrl: keys.url,
        ca: keys.ca,
        ...(change && { change }),
      }),
    use,
  )

test.each(traps)(
  'a request that the recipe refuses or cleans passes without $without',
  async ({ change, request, passes }) => {
    const sent = await request()
    stage.model.take()
    const outcome = runApache(async ({ url }) => toOutcome(await sendRequest(url, sent), stage.model.take()), change)
    expect(await outcome).toEqual(passes)
  },
)

test('none of these requests passes with all of them', async () => {
  const statuses = await runApache(({ url }) =>
    Promise.all(traps.map(async ({ without, request }) => [without, (await sendRequest(url, await request())).status])),
  )
  expect(statuses).toEqual(traps.map(({ without, status }) => [without, status]))
})

test.each([
  'dana\r\n\r\nGET /v1/inner HTTP/1.1\r\nHost: a\r\n\r\n',
  'dana\nX-Account: 1',
  'dana\n',
  ' ',
  'dana\tx',
  'd\u00e4na',
])('a claim that no header may hold does not pass: %j', async (email) => {
  const sent = await stage.withToken({ email })
  stage.model.take()
  const { status, arrived } = await runApache(async ({ url }) =>
    toOutcome(await sendRequest(url, sent), stage.model.take()),
  )
  expect({ status, arrived }).toEqual({ status: 403, arrived: [] })
})

test('each token with an unknown key has the issuer asked', async () => {
  await using stranger = await startRotatingIssuer()
  for (let count = 0; count < 5; count += 1) await stranger.rotate()
  const before = keys.fetched()
  const statuses = await runApache(async ({ url }) => {
    const send = async (sent: ClientRequest) => (await sendRequest(url, sent)).status
    const unknown = async () => send({ headers: [bearer(await stranger.sign(goodClaims))] })
    return [await unknown(), await unknown()]
  })
  expect(statuses).toEqual([401, 401])
  expect(keys.fetched() - before).toBeGreaterThanOrEqual(2)
})

test('a token passes before its time', async () => {
  const sent = await stage.withToken({ nbf: Math.floor(Date.now() / 1000) + 3600 })
  expect(await runApache(async ({ url }) => (await sendRequest(url, sent)).status)).toBe(200)
})
