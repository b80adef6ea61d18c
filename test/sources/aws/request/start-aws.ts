import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Deadline } from '../../../../src/runtime/deadline.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'
import { Secret } from '../../../../src/runtime/secret.ts'
import type { AwsContext, AwsCredentials } from '../../../../src/sources/aws/credentials/credential-source.ts'
import { planAwsCredentials } from '../../../../src/sources/aws/credentials/plan-credentials.ts'
import { listenDuringTest } from '../../../setup/listen-during-test.ts'
import { testHost } from '../../../setup/test-host.ts'
import { type SignatureVerdict, verifyHeaderSignature } from '../../../stand-ins/bedrock/sigv4-verify.ts'

/** The answer to one request, or how it ends without an answer. */
export type Answer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'reset'

/** A request as it came in, with what a second implementation of SigV4 says of its signature. */
interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly verdict: SignatureVerdict
}

const key = { secretAccessKey: 'canary/secret+key', sessionToken: 'canary+session' }

/** Keys that a server of {@link startAws} knows. */
export const credentials: AwsCredentials = {
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: new Secret(key.secretAccessKey),
  sessionToken: new Secret(key.sessionToken),
}

/** Starts one region of AWS that gives these answers, one after another, and the context of a call to it. */
export async function startAws(
  answers: readonly Answer[],
  { path = '', aheadMs = 0, limitSec = 5 } = {},
): Promise<{ readonly received: readonly Received[]; readonly context: AwsContext }> {
  const received: Received[] = []
  const left = [...answers]
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const body = await text(request)
    const now = new Date(Date.now() + aheadMs)
    const whole = { method, url: `http://${headers.host}${url}`, headers, body, secretOf: () => key, now }
    received.push({ path: url, headers, body, verdict: verifyHeaderSignature(whole) })
    const answer = left.shift() ?? { status: 501 }
    if (answer === 'reset') return void request.socket.resetAndDestroy()
    response.sendDate = false
    response.writeHead(answer.status, { date: now.toUTCString(), ...answer.headers }).end(answer.body)
  })
  const port = await listenDuringTest(server)
  const address = `http://127.0.0.1:${port}${path}`
  return { received, context: await createContext(address, limitSec) }
}

async function createContext(address: string, seconds: number): Promise<AwsContext> {
  const env = {
    AWS_ACCESS_KEY_ID: 'A',
    AWS_SECRET_ACCESS_KEY: 'B',
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: address,
  }
  const begin = Date.now()
  const clock = { now: Date.now, startedAt: begin, elapsedMs: () => Date.now() - begin }
  const host = await testHost({ env, clock })
  const plan = await planAwsCredentials(host, {
    profile: undefined,
    region: 'eu-central-1',
    path: undefined,
    'aws-chain': 'auto',
    'watch-variable': [],
    watch: [],
  })
  const settings = { proxy: undefined, noProxy: undefined, ca: undefined }
  const call = {
    program: 'aws-test',
    context: 'background',
    warn: () => {},
    deadline: new Deadline({ seconds, hint: 'wait' }, clock),
    network: toNetworkSettings(settings, {}),
  } as const
  return { host, call, plan, path: undefined }
}
