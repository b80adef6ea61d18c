import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { deviceGrantType, titleOf } from '../../bootstrap/device/device-stage.ts'
import { createServedFolder } from '../../cli/bootstrap/served.ts'
import { startServerProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { startProvider } from '../../stand-ins/provider/start-provider.ts'
import { findFreePorts, type GatewayProcess } from '../gateway-process.ts'
import { openDirectory } from '../run-with-gateway.ts'
import { bearer } from '../stage/scenario.ts'
import { sendRequest } from '../stage/send.ts'
import { startHaproxyWithDevice, startNginxWithDevice, startNginxWithFilesAndDevice } from './recipes.ts'

const document = { v: 1 }

/** Creates a release, a policy, and the options of device sign-ins under an origin, at a real provider. */
async function createDeviceServer() {
  const given = await createServedFolder([document])
  const directory = await openDirectory()
  const provider = await startProvider({
    host: 'localhost',
    clientId: 'config-server',
    applicationType: 'web',
    clientSecret: { value: 'made-up', sent: 'basic' },
    redirectUris: ['https://config.example.com/device/callback'],
  })
  onTestFinished(() => provider[Symbol.asyncDispose]())
  const secret = join(directory, 'secret')
  await writeFile(secret, 'made-up', { mode: 0o600 })
  const start = (proxy: GatewayProcess, ...listen: string[]) =>
    startServerProcess(
      ...['bootstrap', 'serve', ...given.argv, ...listen],
      ...['--device-origin', proxy.url, '--device-issuer', provider.issuer],
      ...['--device-client-id', 'config-server', '--device-client-secret-file', secret],
    )
  return { ...given, directory, start }
}

/** Creates the steps of a client and a person who come by way of a proxy. */
function createVisitor({ url }: GatewayProcess) {
  const form = 'application/x-www-form-urlencoded'
  const post = (path: string, fields: Record<string, string>, more: readonly (readonly [string, string])[] = []) =>
    sendRequest(url, {
      method: 'POST',
      path,
      headers: [['Content-Type', form], ...more],
      body: new URLSearchParams(fields).toString(),
    })
  const get = (path: string, token?: string) =>
    sendRequest(url, { method: 'GET', path, headers: token === undefined ? [] : [bearer(token)] })
  return {
    get,
    /** Waits until one of the replicas answers for this path. */
    waitFor: (path: string, token?: string) => expect.poll(async () => (await get(path, token)).status).toBe(200),
    async begin(): Promise<Record<string, string>> {
      const { status, body } = await post('/device/authorization', { client_id: 'app' })
      expect(status).toBe(200)
      return JSON.parse(body)
    },
    async enter(code = '') {
      const { status, headers, body } = await post('/device', { user_code: code }, [['Origin', url]])
      return { status, title: titleOf({ status, headers, body }), problem: /role="alert">([^<]*)</.exec(body)?.[1] }
    },
    async poll(code = '') {
      const fields = { grant_type: deviceGrantType, device_code: code, client_id: 'app' }
      const { status, body } = await post('/device/token', fields)
      return { status, value: JSON.parse(body) }
    },
  }
}

const known = { status: 200, title: 'Sign in to connect the app', problem: undefined }
const pending = { status: 400, value: { error: 'authorization_pending' } }

describe.each([
  ['nginx', startNginxWithDevice],
  ['HAProxy', startHaproxyWithDevice],
])('device sign-ins at two replicas behind %s', (_, startProxy) => {
  test('know every code, and begin anew those of a replica that has died', async () => {
    const { directory, start, token } = await createDeviceServer()
    const ports = await findFreePorts(4)
    const replicas = [
      { listen: ports[0]!, admin: ports[1]! },
      { listen: ports[2]!, admin: ports[3]! },
    ] as const
    const proxy = await startProxy({ directory, replicas })
    onTestFinished(proxy.close)
    const [one] = await Promise.all(
      replicas.map(({ listen, admin }) =>
        start(proxy, '--listen', `127.0.0.1:${listen}`, '--admin-listen', `127.0.0.1:${admin}`),
      ),
    )
    const visitor = createVisitor(proxy)
    await visitor.waitFor('/.well-known/oauth-authorization-server')
    await visitor.waitFor('/bootstrap', token)
    const use = async (begun: Record<string, string>) => [
      await visitor.enter(begun.user_code),
      await visitor.poll(begun.device_code),
    ]
    const seen = []
    for (let count = 0; count < 6; count += 1) seen.push(await use(await visitor.begin()))
    const begun = await visitor.begin()
    one!.signal('SIGKILL')
    await one!.ended
    await visitor.waitFor('/device')
    expect({
      seen,
      lost: await use(begun),
      again: await use(await visitor.begin()),
      otherPath: (await visitor.get('/device/other')).status,
    }).toEqual({
      seen: Array(6).fill([known, pending]),
      lost: [
        {
          status: 400,
          title: 'Connect an app',
          problem: 'No app waits with this code. Compare it, or start again in the app: a code is good for 5 minutes.',
        },
        { status: 400, value: { error: 'invalid_grant' } },
      ],
      again: [known, pending],
      otherPath: 404,
    })
  }, 120_000)
})

test('a server that decides which file nginx sends offers device sign-ins too', async () => {
  const { directory, start, token, folder } = await createDeviceServer()
  const socket = join(directory, 'bootstrap.sock')
  const proxy = await startNginxWithFilesAndDevice({ directory, socket, releases: folder.path })
  onTestFinished(proxy.close)
  await start(proxy, '--decide', '--listen', socket, '--socket-mode', '666')
  const visitor = createVisitor(proxy)
  await expect.poll(async () => (await visitor.get('/bootstrap', token)).status).toBe(200)
  expect((await visitor.get('/bootstrap', token)).body).toBe(JSON.stringify(document))
  const begun = await visitor.begin()
  expect([await visitor.enter(begun.user_code), await visitor.poll(begun.device_code)]).toEqual([known, pending])
  expect((await visitor.get('/bootstrap')).status).toBe(401)
}, 120_000)
