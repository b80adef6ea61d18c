import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import type { ListenerOptions } from '../../../../src/sources/oauth/listener/callback-listener.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'

async function open(options: Partial<ListenerOptions> = {}) {
  const listener = await openListener({ hosts: ['127.0.0.1'], path: '/back', ...options }, 'Example')
  onTestFinished(() => listener.close())
  return { ...listener, port: Number(new URL(listener.redirectUri).port) }
}

/** What a browser is shown. */
async function visit(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  const title = /<title>(.*)<\/title>/.exec(await response.text())?.[1]
  return { status: response.status, title, store: response.headers.get('cache-control') }
}

const notFound = { status: 404, title: undefined, store: 'no-store' }
const signedIn = { status: 200, title: 'You are signed in', store: 'no-store' }

test('forged requests get 404 and end nothing; the callback does, and going back shows the last page again', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  for (const forged of ['?error=access_denied', '?code=evil&state=T', '', '/?code=c&state=S', '?state=S'])
    expect(await visit(redirectUri + forged)).toEqual(notFound)
  expect(await visit(`${redirectUri}?code=c&state=S`, { method: 'POST' })).toEqual(notFound)
  const tab = visit(`${redirectUri}?code=c&state=S`)
  expect(Object.fromEntries(await callback)).toEqual({ code: 'c', state: 'S' })
  await finish('signed-in')
  expect(await tab).toEqual(signedIn)
  expect(await visit(`${redirectUri}?code=c&state=S`)).toEqual(signedIn)
  expect(await visit(`${redirectUri}?code=c&state=T`)).toEqual(notFound)
})

test('a browser that is back before anybody waits is not sent away', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const tab = visit(`${redirectUri}?code=c&state=S`)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect((await waitForCallback('S')).get('code')).toBe('c')
  await finish('signed-in')
  expect(await tab).toEqual(signedIn)
})

test.each([
  ['error=access_denied', 'the sign-in to Example was denied in the browser'],
  ['error=server_error&error_description=out%20of%20order', 'the provider ended the sign-in to Example (server_error)'],
  ['error=call%20555-0100', 'the provider ended the sign-in to Example'],
  [`error=${'a'.repeat(61)}`, 'the provider ended the sign-in to Example'],
  ['error=temporarily_unavailable', 'the provider ended the sign-in to Example (temporarily_unavailable)'],
])('the provider says %s', async (query, message) => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S').catch((error: unknown) => error)
  const tab = visit(`${redirectUri}?${query}&state=S`)
  const failure = await callback
  expect(failure).toMatchObject({ kind: 'refused', message })
  await finish(failure as HelperError) // see above
  expect(await tab).toMatchObject({ status: 200, title: 'You are not signed in' })
})

test('localhost is answered in both address families on one port', async () => {
  const { port, redirectUri, waitForCallback, finish } = await open({ hosts: ['localhost'] })
  expect(redirectUri).toBe(`http://localhost:${port}/back`)
  const callback = waitForCallback('S')
  for (const host of ['127.0.0.1', '[::1]']) expect(await visit(`http://${host}:${port}/`)).toEqual(notFound)
  const tab = visit(`${redirectUri}?code=c&state=S`)
  await callback
  await finish('signed-in')
  expect(await tab).toEqual(signedIn)
})

test('a port that another program uses is named', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo // it listens on TCP
  await expect(open({ port })).rejects.toEqual(
    new HelperError(
      'refused',
      `port ${port} of this machine, to which the browser comes back, is used by another program`,
      'end the program that listens there and start again, or sign in with --sign-in device',
    ),
  )
})

test('programs that connect and say nothing, or not enough, keep nobody out', async () => {
  const { port, redirectUri, waitForCallback, finish } = await open()
  const silent = Array.from({ length: 200 }, (_, number) => {
    const socket = connect(port, '127.0.0.1', () => {
      if (number % 2 === 0) socket.write('GET /back?code=c&state=S HTTP/1.1\r\nHost: ')
    })
    socket.on('error', () => {}) // it is ended, which is what it is for
    return socket
  })
  onTestFinished(() => silent.forEach((socket) => void socket.destroy()))
  const callback = waitForCallback('S')
  const tab = visit(`${redirectUri}?code=c&state=S`)
  await callback
  await finish('signed-in')
  expect(await tab).toEqual(signedIn)
})

test('a request of endless headers is refused', async () => {
  const { redirectUri } = await open()
  const response = await fetch(redirectUri, { headers: { 'X-Long': 'x'.repeat(20_000) } })
  expect(response.status).toBe(431)
})
