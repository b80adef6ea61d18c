import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { runWithGateway } from '../run-with-gateway.ts'
import { renderUnsignedJwt } from '../stage/bad-tokens.ts'
import { goodClaims, type IssuerStage, startIssuerStage } from '../stage/issuer-stage.ts'
import { type GatewayOutcome, toOutcome } from '../stage/outcome.ts'
import { people } from '../stage/print-tokens.ts'
import { bearer, forbidden, passes, unauthorized } from '../stage/scenario.ts'
import { type ClientRequest, sendRequest } from '../stage/send.ts'
import { startHaproxyWithJwt } from './haproxy-recipes.ts'
import { writeKeys } from './write-keys.ts'

let stage: IssuerStage
let key: string

beforeAll(async () => {
  stage = await startIssuerStage()
  key = join(stage.directory, 'key-1.pem')
  await writeKeys(stage.issuer.jwksUrl, stage.directory)
  return () => stage[Symbol.asyncDispose]()
})

const dana = passes([`x-user: ${people.dana.email}`])

interface Trap {
  readonly mistake: string
  change(configuration: string): string
  request(): Promise<ClientRequest>
  readonly passes: GatewayOutcome
  /** The answer of the whole recipe to the same request. */
  readonly refused: GatewayOutcome
}

/** Returns the algorithm of the token, and nothing that says which one it has to be. */
const trustAlgorithm = (configuration: string) =>
  dropReason('algorithm')(configuration).replace('jwt_verify("ES256",', 'jwt_verify(txn.alg,')

const dropReason = (reason: string) => (configuration: string) =>
  configuration.replace(new RegExp(`^ *http-request set-var\\(txn.reason\\) str\\(${reason}\\).*\\n`, 'm'), '')

/** Signed by HMAC with a secret that everybody can guess: the name of the file. */
function signWithPath(path: string): string {
  const [, claims] = renderUnsignedJwt(stage.issuer).split('.')
  const signed = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${claims}`
  return `${signed}.${createHmac('sha256', path).update(signed).digest('base64url')}`
}

const traps: readonly Trap[] = [
  {
    mistake: 'the algorithm of the token: none',
    change: trustAlgorithm,
    request: async () => ({ headers: [bearer(renderUnsignedJwt(stage.issuer))] }),
    passes: dana,
    refused: unauthorized('algorithm'),
  },
  {
    mistake: 'the algorithm of the token: HMAC',
    change: trustAlgorithm,
    request: async () => ({ headers: [bearer(signWithPath(key))] }),
    passes: dana,
    refused: unauthorized('algorithm'),
  },
  {
    mistake: 'a condition without a number',
    change: (configuration) => configuration.replace(' -m int 1', ' -m bool'),
    // No signature at all is -3, "invalid token".
    request: async () => ({
      headers: [bearer(`${(await stage.issuer.sign(goodClaims)).split('.').slice(0, 2).join('.')}.`)],
    }),
    passes: dana,
    refused: unauthorized('signature'),
  },
  {
    mistake: 'no audience',
    change: dropReason('audience'),
    request: () => stage.withToken({ aud: ['https://another.example'] }),
    passes: dana,
    refused: unauthorized('audience'),
  },
  {
    mistake: 'no end',
    change: dropReason('expired'),
    request: () => stage.withToken({ exp: undefined }),
    passes: dana,
    refused: unauthorized('expired'),
  },
  {
    mistake: 'no beginning',
    change: dropReason('not-yet-valid'),
    request: () => stage.withToken({ nbf: Math.floor(Date.now() / 1000) + 3600 }),
    passes: dana,
    refused: unauthorized('not-yet-valid'),
  },
  {
    mistake: 'no name',
    change: dropReason('no-rule'),
    request: () => stage.withToken({ email: undefined }),
    passes: passes([]),
    refused: forbidden('no-rule'),
  },
  {
    mistake: 'the other way of writing a header',
    change: (configuration) => configuration.replace('^x[-_](user|account)$', '^x-(user|account)$'),
    request: () => stage.withToken({}, ['X_User', 'root'], ['X_Account', 'root']),
    passes: passes([`x-user: ${people.dana.email}`, 'x_account: root', 'x_user: root']),
    refused: dana,
  },
]

const play = async (sent: ClientRequest, change?: Trap['change']) =>
  runWithGateway(
    (own) =>
      startHaproxyWithJwt({
        directory: own,
        modelPort: stage.model.port,
        issuer: stage.issuer.issuer,
        key,
        ...(change && { change }),
      }),
    async ({ url }) => {
      stage.model.take()
      return toOutcome(await sendRequest(url, sent), stage.model.take())
    },
  )

test.each(traps)(
  'a request that the recipe refuses passes with the mistake: $mistake',
  async ({ change, request, passes, refused }) => {
    const sent = await request()
    expect({ mistaken: await play(sent, change), recipe: await play(sent) }).toEqual({
      mistaken: passes,
      recipe: refused,
    })
  },
)
