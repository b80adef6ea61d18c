import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { toDeviceAddresses } from '../../../src/bootstrap/device/answer-client.ts'
import { DeviceGrants, type DeviceSignIn } from '../../../src/bootstrap/device/device-grants.ts'
import { createDeviceListener } from '../../../src/bootstrap/device/device-listener.ts'
import { type OrganizationProvider, ProviderFailure } from '../../../src/bootstrap/device/organization-provider.ts'
import { createDeviceObserver, openAnswerAudit } from '../../../src/bootstrap/serve/audit.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { createMadeUpVerifier, start } from '../../verify/verifier/made-up-checks.ts'

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code'
export const origin = 'https://config.example.com'

/** Starts device sign-ins on loopback, in front of a provider that gives whoever comes back the token that its code names. */
export async function startDeviceStage(path = '/bootstrap') {
  const { verifier } = createMadeUpVerifier()
  const world = { now: start, isProviderDown: false }
  const now = () => world.now
  const lines: string[] = []
  const signIns: DeviceSignIn[] = []
  const redeemed: string[] = []
  const log = openBoundedLog({ format: 'json', now, write: (line) => lines.push(line) })
  const addresses = toDeviceAddresses(origin, path)
  const provider = createMadeUpProvider({ world, signIns, redeemed })
  const grants = new DeviceGrants(now)
  const audited: { readonly time: number; readonly grant?: string }[] = []
  const sink = { write: (line: string) => audited.push(JSON.parse(line)), close: async () => {} }
  const registry = new Registry()
  const audit = openAnswerAudit(sink, { form: 'plain', now })
  const observe = createDeviceObserver({ registry, audit, follower: { release: () => undefined }, now })
  const parts = { addresses, grants, provider, verifier, log, now, observe }
  const { isFor, listener, expire } = createDeviceListener(parts)
  const server = createServer((asked, response) =>
    isFor(asked) ? listener(asked, response) : void response.writeHead(404).end(),
  )
  const port = await listenDuringTest(server)
  const ask = (method: string, target: string, given: Asked = {}) => send({ port, method, target, ...given })
  return { world, lines, audited, registry, expire, signIns, redeemed, addresses, ask, ...createSteps(ask) }
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: Readonly<Record<string, string>> | string
}

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Creates the steps of a client and of a person. */
function createSteps(ask: (method: string, target: string, given?: Asked) => Promise<Answered>) {
  const fromPage = { origin, 'sec-fetch-site': 'same-origin' }
  const begin = async (): Promise<Record<string, string>> =>
    JSON.parse((await ask('POST', '/device/authorization', { form: { client_id: 'app' } })).body)
  const poll = async (deviceCode: string, clientId = 'app') => {
    const form = { grant_type: deviceGrantType, device_code: deviceCode, client_id: clientId }
    const { status, body } = await ask('POST', '/device/token', { form })
    return { status, ...JSON.parse(body) }
  }
  const enter = (userCode: string) => ask('POST', '/device', { headers: fromPage, form: { user_code: userCode } })
  const comeBack = (query: string, cookie?: string) =>
    ask('GET', `/device/callback?${query}`, cookie === undefined ? {} : { headers: { cookie } })
  const confirm = (form: Record<string, string>, cookie: string, from: Record<string, string> = fromPage) =>
    ask('POST', '/device/confirmation', { headers: { ...from, cookie }, form })
  return { fromPage, begin, poll, enter, comeBack, confirm }
}

interface ProviderWorld {
  readonly world: { isProviderDown: boolean }
  readonly signIns: DeviceSignIn[]
  readonly redeemed: string[]
}

function createMadeUpProvider({ world, signIns, redeemed }: ProviderWorld): OrganizationProvider {
  const refuseDown = () => {
    if (world.isProviderDown) throw new ProviderFailure('unavailable')
  }
  return {
    async createAuthorizationUrl(signIn) {
      refuseDown()
      signIns.push(signIn)
      return `https://id.example.com/authorize?state=${signIn.state}`
    },
    async redeem(query) {
      refuseDown()
      if (query.get('error') === 'access_denied') throw new ProviderFailure('denied')
      const code = query.get('code')
      if (code === null) throw new ProviderFailure('refused')
      redeemed.push(code)
      await sleep(50) // so that a second request for the same sign-in comes meanwhile
      return { token: `a.${code}.c`, refreshToken: `refresh-${code}`, account: 'dana@example.com' }
    },
    async refresh(refreshToken) {
      refuseDown()
      if (!refreshToken.startsWith('refresh-')) throw new ProviderFailure('refused')
      return { token: `a.${refreshToken}.c`, refreshToken: undefined, account: undefined }
    },
  }
}

interface Sent extends Asked {
  readonly port: number
  readonly method: string
  readonly target: string
}

function send({ port, method, target, headers = {}, form }: Sent): Promise<Answered> {
  const body = form === undefined || typeof form === 'string' ? form : new URLSearchParams(form).toString()
  const type = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
  return new Promise((resolve, reject) => {
    const all = { host: new URL(origin).host, ...type, ...headers }
    request({ host: '127.0.0.1', port, method, path: target, headers: all, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
      .once('error', reject)
      .end(body)
  })
}

/** Returns the cookie that an answer sets. */
export function cookieOf({ headers }: Answered): string {
  return headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}

/** Returns the title of a page. */
export function titleOf({ body }: Answered): string {
  return /<h1>(.*)<\/h1>/.exec(body)?.[1] ?? body
}

/** Returns the hidden fields of the confirmation. */
export function fieldsOf({ body }: Answered): Record<string, string> {
  const found = [...body.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)]
  return Object.fromEntries(found.map(([, name = '', value = '']) => [name, value]))
}
