import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import { createApiFetch } from '../../src/api/api-fetch.ts'
import { createApi } from '../../src/api/create-api.ts'
import { HelperError } from '../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../src/runtime/network/settings.ts'
import { host, startApiSite } from '../cli/api/site.ts'
import { startServer } from '../cli/start-server.ts'
import { connectionTo, credential } from './recording-server.ts'

const direct = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** Opens a typed client with the proxy and the certificate authority of a site. */
async function openSite() {
  const site = await startApiSite()
  const proxy = { text: site.env.HTTPS_PROXY ?? '', origin: 'test' }
  const network = toNetworkSettings({ proxy, noProxy: undefined, ca: undefined }, site.env)
  const current = async () => credential(site.stage.seed.keys.personal.secret.reveal())
  const credentials = { current, renew: async () => undefined }
  const api = createApi(connectionTo(`https://${host}`, { credentials, fetch: createApiFetch({ network }) }))
  return { site, api }
}

describe('the typed client over the network of the suite', () => {
  test('lists, adds, sends and streams through proxy and private authority', async () => {
    const { site, api } = await openSite()
    const { session, file } = site.stage.seed
    const message = { model: 'm', max_tokens: 1, messages: [{ role: 'user', content: 'Hello?' }] }
    const listed = await Array.fromAsync(api.resources.iterate(session, { limit: 1 }))
    const added = await api.resources.add(session, { file_id: file })
    const answer = await api.messages.create(message)
    const { body } = await api.messages.stream(message)
    const streamed = Buffer.concat(await Array.fromAsync(body)).toString()
    expect({
      listed: listed.length,
      added: added.file_id,
      answer: answer.content,
      lastEvent: streamed.match(/^event: .*$/gm)?.at(-1),
      asked: new Set(site.proxy.asked),
    }).toEqual({
      listed: 3,
      added: file,
      answer: [{ type: 'text', text: 'Hello?' }],
      lastEvent: 'event: message_stop',
      asked: new Set([`CONNECT ${host}:443`]),
    })
  })

  test('a GET that fails is retried', async () => {
    const { site, api } = await openSite()
    site.front.behave({ status: 502 }, 'forward')
    const { data } = await api.resources.list(site.stage.seed.session)
    expect({ types: data.map(({ type }) => type), requests: site.front.requests }).toEqual({
      types: ['file', 'git_repository', 'memory_store'],
      requests: 2,
    })
  })

  test('an event that fails is not retried', async () => {
    const { site, api } = await openSite()
    site.front.behave({ status: 502 }, 'forward')
    const event = { type: 'user.message', content: [{ type: 'text', text: 'a' }] } as const
    const failure = await api.events.send(site.stage.seed.session, [event]).catch((thrown) => thrown)
    expect({ failure, requests: site.front.requests }).toEqual({
      failure: new ApiError({
        status: 502,
        type: undefined,
        requestId: undefined,
        workspace: 'not-named',
        message: 'the answer does not have the form that the API documents',
      }),
      requests: 1,
    })
  })

  test('an answer that breaks off is an error', async () => {
    const { site, api } = await openSite()
    site.front.behave('truncate')
    await expect(api.resources.list(site.stage.seed.session)).rejects.toEqual(
      new HelperError(
        'unavailable',
        `${host} cannot be reached (ECONNRESET)`,
        'check the network, the VPN and the proxy',
      ),
    )
  })
})

describe('the body of an answer', () => {
  test('that is not read to its end is dropped at once', async () => {
    const closed = Promise.withResolvers<void>()
    const url = await startServer((_, response) => {
      response.once('close', closed.resolve)
      const timer = setInterval(() => response.write('x'.repeat(1000)), 10)
      response.once('close', () => clearInterval(timer))
    })
    const { body } = await createApiFetch({ network: direct })(url, {})
    for await (const _ of body ?? []) break
    await closed.promise
  })

  test('that is not read at all is dropped at once', async () => {
    const closed = Promise.withResolvers<void>()
    const url = await startServer((_, response) => {
      response.once('close', closed.resolve)
      response.write('x')
    })
    await (await createApiFetch({ network: direct })(url, {})).body?.cancel()
    await closed.promise
  })

  test.each([204, 304])('is absent with status %d', async (status) => {
    const url = await startServer((_, response) => response.writeHead(status).end())
    const response = await createApiFetch({ network: direct })(url, {})
    expect([response.status, response.body]).toEqual([status, null])
  })
})
