import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { createCallbackPath, type ListenerOptions } from '../../../../src/sources/oauth/listener/callback.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { listenDuringTest } from '../../../setup/listen-during-test.ts'
import { createBrowsing } from '../../../stand-ins/provider/person/browse.ts'

async function open(options: Partial<ListenerOptions> = {}) {
  const listener = await openListener({ hosts: ['127.0.0.1'], path: '/back', ...options }, { subject: 'Example' })
  onTestFinished(() => listener.close())
  return { ...listener, port: Number(new URL(listener.redirectUri).port) }
}

/** Returns the page that a browser shows. */
async function visit(url: string, init: RequestInit = {}) {
  const response = await fetch(url, init)
  const title = /<title>(.*)<\/title>/.exec(await response.text())?.[1]
  return { status: response.status, title, store: response.headers.get('cache-control') }
}

/** Gives a request the time to arrive, because nothing tells when it has. */
const waitForArrival = () => sleep(50)

const notFound = { status: 404, title: undefined, store: 'no-store' }
const signedIn = { status: 200, title: 'You are signed in', store: 'no-store' }
const elsewhere = { ...signedIn, title: 'This sign-in was finished elsewhere' }

test('forged requests get 404 without ending the wait, unlike the callback', async () => {
  const { redirectUri, waitForCallback } = await open()
  const callback = waitForCallback('S')
  const forged = await Promise.all([
    ...['?error=access_denied', '?code=evil&state=T', '', '/?code=c&state=S', '?state=S'].map((end) =>
      visit(redirectUri + end),
    ),
    ...['POST', 'HEAD', 'OPTIONS'].map((method) => visit(`${redirectUri}?code=c&state=S`, { method })),
    visit(new URL('/favicon.ico', redirectUri).href),
  ])
  visit(`${redirectUri}?code=c&state=S`).catch(() => undefined) // it is closed with the listener
  expect({ forged, called: Object.fromEntries(await callback) }).toEqual({
    forged: Array(9).fill(notFound),
    called: { code: 'c', state: 'S' },
  })
})

test('a browser that repeats its request gets the same answer to both, and going back shows it again', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  const tabs = [visit(`${redirectUri}?code=c&state=S`), visit(`${redirectUri}?code=c&state=S`)]
  await callback
  await finish({})
  const pages = await Promise.all(tabs)
  const [again, another] = [await visit(`${redirectUri}?code=c&state=S`), await visit(`${redirectUri}?code=c&state=T`)]
  expect({ pages, again, another }).toEqual({ pages: [signedIn, signedIn], again: signedIn, another: notFound })
})

test('a browser that is back before anybody waits is not sent away', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const tab = visit(`${redirectUri}?code=c&state=S`)
  await waitForArrival()
  const code = (await waitForCallback('S')).get('code')
  await finish({})
  expect([code, await tab]).toEqual(['c', signedIn])
})

test.each([
  ['error=access_denied', 'the sign-in to Example was denied in the browser', 'start again, and allow it there'],
  [
    'error=server_error&error_description=out%20of%20order',
    'the provider ended the sign-in to Example (server_error)',
    'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
  ],
  [
    'error=call%20555-0100',
    'the provider ended the sign-in to Example',
    'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
  ],
  [
    `error=${'a'.repeat(61)}`,
    'the provider ended the sign-in to Example',
    'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
  ],
  [
    'error=temporarily_unavailable',
    'the provider ended the sign-in to Example (temporarily_unavailable)',
    'start again, which begins a new sign-in; if it fails again, report this to whoever runs the provider',
  ],
])('the answer %s of the provider is reported', async (query, message, hint) => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S').catch((error: unknown) => error)
  const tab = visit(`${redirectUri}?${query}&state=S`)
  const failure = await callback
  await finish(failure as HelperError) // see below
  expect([failure, await tab]).toEqual([
    new HelperError('refused', message, hint),
    { ...signedIn, title: 'You are not signed in' },
  ])
})

test('localhost is answered in both address families on one port', async () => {
  const { port, redirectUri, waitForCallback, finish } = await open({ hosts: ['localhost'] })
  const callback = waitForCallback('S')
  const others = await Promise.all(['127.0.0.1', '[::1]'].map((host) => visit(`http://${host}:${port}/`)))
  const tab = visit(`${redirectUri}?code=c&state=S`)
  await callback
  await finish({})
  expect({ redirectUri, others, tab: await tab }).toEqual({
    redirectUri: `http://localhost:${port}/back`,
    others: [notFound, notFound],
    tab: signedIn,
  })
})

test('the listener is on loopback addresses alone', async () => {
  const { port, close } = await open({ hosts: ['localhost'] })
  const attempt = (host: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, host, () => resolve('connected'))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      onTestFinished(() => void socket.destroy())
    })
  // Any other address of the machine stands for its network; this one is there without a network, too.
  const before = [await attempt('127.0.0.1'), await attempt('127.0.0.2')]
  await close()
  expect({ before, closed: await attempt('127.0.0.1') }).toEqual({
    before: ['connected', 'ECONNREFUSED'],
    closed: 'ECONNREFUSED',
  })
})

test('a port that another program uses is named', async () => {
  const other = createServer()
  const port = await listenDuringTest(other)
  await expect(open({ port })).rejects.toEqual(
    new HelperError(
      'refused',
      `port ${port} of this machine, to which the browser comes back, is used by another program`,
      'end that program, or wait for another sign-in that uses the port, and start again; or tell your administrator: register another redirect port with the provider, and set it in redirect-port',
    ),
  )
})

test('a form is the callback where one is expected, unlike a code in the query', async () => {
  const { redirectUri, waitForCallback, finish } = await open({ responseMode: 'form_post' })
  const callback = waitForCallback('S')
  const post = (form: Record<string, string>, type?: string) =>
    visit(redirectUri, {
      method: 'POST',
      body: type === undefined ? new URLSearchParams(form) : JSON.stringify(form),
      ...(type !== undefined && { headers: { 'Content-Type': type } }),
    })
  const others = await Promise.all([
    visit(`${redirectUri}?code=c&state=S`),
    post({ code: 'c', state: 'T' }),
    post({ code: 'c', state: 'S' }, 'application/json'),
    post({ code: 'c', state: 'S', more: 'x'.repeat(20_000) }),
  ])
  const form = { code: 'c', state: 'S', iss: 'https://a.example' }
  const tab = post(form)
  const called = Object.fromEntries(await callback)
  await finish({})
  expect({
    others,
    called,
    tab: await tab,
    error: await visit(`${redirectUri}?error=invalid_request&state=S`),
  }).toEqual({
    others: Array(4).fill(notFound),
    called: form,
    tab: signedIn,
    error: elsewhere,
  })
})

test('a second answer with another code is told that the first one counts', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  const first = visit(`${redirectUri}?code=c&state=S`)
  await callback
  const second = visit(`${redirectUri}?code=d&state=S`)
  await waitForArrival()
  await finish({})
  const tabs = [await first, await second]
  tabs.push(await visit(`${redirectUri}?state=S&code=c`), await visit(`${redirectUri}?code=d&state=S`))
  expect(tabs).toEqual([signedIn, elsewhere, signedIn, elsewhere])
})

test('a second answer with another code is told as whom the first one signed in', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  const first = visit(`${redirectUri}?code=c&state=S`)
  await callback
  await finish({ account: 'Dana' })
  await first
  const page = await (await fetch(`${redirectUri}?code=d&state=S`)).text()
  expect(page.match(/<p>.*<\/p>/g)).toEqual([
    '<p>The sign-in to Example was finished before this answer came, as <strong><bdi>Dana</bdi></strong>. The answer is ignored.</p>',
    '<p>If it was you, here or in another tab or program, close this tab. Otherwise sign out, and sign in again.</p>',
  ])
})

test('a second answer is told that the first one failed', async () => {
  const { redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  const tabs = [visit(`${redirectUri}?code=c&state=S`)]
  await callback
  tabs.push(visit(`${redirectUri}?code=d&state=S`))
  await waitForArrival()
  await finish(new HelperError('refused', 'no', 'start again'))
  const failed = { ...signedIn, title: 'You are not signed in' }
  expect(await Promise.all(tabs)).toEqual([failed, failed])
})

test('a browser that calls from elsewhere is told why', async () => {
  const { redirectUri, waitForCallback, findForeignHost } = await open({ referrers: ['login.example'] })
  void waitForCallback('S').catch(() => undefined) // it is closed with the listener
  const browse = createBrowsing()
  const from = new URL('http://evil.example/page')
  const foreign = await browse({ address: new URL(`${redirectUri}?code=c&state=S`), from })
  expect([foreign.status, foreign.title, foreign.text]).toEqual([
    404,
    'You are not signed in yet',
    "You are not signed in yet The answer for the sign-in to Example came from evil.example, which is not one of the provider's hosts. What to do If you signed in there, ask your administrator to add that host to additionalRedirectReferrerHosts . If you did not expect this page, close it: the sign-in still waits in the tab where it began.",
  ])
  expect(findForeignHost()).toBe('evil.example')
  const guess = new URL(`${redirectUri}?code=c&state=T`)
  expect((await browse({ address: guess, from })).text).toBe('Not found')
})

test('a call from elsewhere consumes nothing', async () => {
  const { redirectUri, waitForCallback, finish } = await open({ referrers: ['login.example'] })
  const callback = waitForCallback('S')
  const address = new URL(`${redirectUri}?code=c&state=S`)
  const browse = createBrowsing()
  await browse({ address, from: new URL('http://evil.example/page') })
  expect(await visit(address.href)).toEqual(notFound) // as a script's request, which fetch says of itself
  const ahead = { 'Sec-Purpose': 'prefetch' }
  expect(await visit(address.href, { headers: ahead })).toEqual({ status: 503, store: 'no-store' })
  const tab = browse({ address, from: new URL('http://login.example/sign-in') })
  expect((await callback).get('code')).toBe('c')
  await finish({})
  const { status, title } = await tab
  expect({ status, title }).toEqual({ status: 200, title: 'You are signed in' })
})

test('a flow that knows the provider explains its errors', async () => {
  const { redirectUri, waitForCallback } = await open({
    explainError: ({ error, description, redirectUri }) =>
      new HelperError('not-configured', `${error}: ${description}`, `register ${redirectUri}`),
  })
  const callback = waitForCallback('S')
  const tab = visit(`${redirectUri}?error=invalid_scope&error_description=AADSTS70011&state=S`)
  tab.catch(() => undefined) // it is closed with the listener
  await expect(callback).rejects.toEqual(
    new HelperError('not-configured', 'invalid_scope: AADSTS70011', `register ${redirectUri}`),
  )
})

test('a path of its own is new each time', () => {
  const paths = [createCallbackPath(), createCallbackPath()]
  expect(paths.map((path) => path.replace(pathForm, 'PATH'))).toEqual(['PATH', 'PATH'])
  expect(paths[0]).not.toBe(paths[1])
})

const pathForm = /^\/callback\/[\w-]{22}$/

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
  await finish({})
  expect(await tab).toEqual(signedIn)
})

test('the connection of the last page is not cut, however many programs connect', async () => {
  const { port, redirectUri, waitForCallback, finish } = await open()
  const callback = waitForCallback('S')
  const address = `${redirectUri}?code=c&state=S`
  for (let times = 0; times < 12; times += 1) await leave(address)
  await callback
  const tab = visit(address)
  await sleep(1_000)
  const silent = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => silent.forEach((socket) => void socket.destroy()))
  const countCut = () => silent.filter((socket) => socket.closed).length
  // The listener keeps 64 connections of those that say nothing.
  await expect.poll(countCut).toBeGreaterThanOrEqual(300 - 64)
  await finish({})
  expect(await tab).toEqual(signedIn)
})

/** Loads a page that does not come, and goes away. */
async function leave(address: string): Promise<void> {
  const socket = connect(Number(new URL(address).port), '127.0.0.1')
  socket.write(`GET ${address} HTTP/1.1\r\nHost: ${new URL(address).host}\r\n\r\n`.replace(new URL(address).origin, ''))
  await waitForArrival()
  socket.destroy()
}

test('a request of endless headers is refused', async () => {
  const { redirectUri } = await open()
  const response = await fetch(redirectUri, { headers: { 'X-Long': 'x'.repeat(20_000) } })
  expect([response.status, await response.text()]).toEqual([431, ''])
})
