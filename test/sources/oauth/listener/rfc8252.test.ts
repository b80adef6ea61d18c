import { request as sendRequest } from 'node:http'
import { connect } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { listOpeners } from '../../../../src/sources/oauth/list-openers.ts'
import { createCallbackPath, type ListenerOptions } from '../../../../src/sources/oauth/listener/callback.ts'
import { answerHeaders } from '../../../../src/sources/oauth/listener/last-page.ts'
import { openListener } from '../../../../src/sources/oauth/listener/open-listener.ts'
import { toStableText } from '../../../setup/to-stable-text.ts'
import { plainSettings, requireSignedIn, signIn } from '../oidc/oidc-bench.ts'
import { as, startTestProvider } from '../oidc/people.ts'

// What RFC 8252 (OAuth 2.0 for Native Apps) asks of a native application, in our words, section by section. What needs a real browser or a
// machine with one family of addresses names its section in chromium.slow.test.ts, callback-scenarios.ts and address-families.slow.test.ts.

const address = 'https://login.example/authorize'

test('sections 6 and 8.12: a program of the system opens the address, and no embedded window', () => {
  const openersOf = (platform: NodeJS.Platform) =>
    listOpeners({ platform, env: {}, kernel: '' }, address).map(({ program }) => program)
  expect({ linux: openersOf('linux'), darwin: openersOf('darwin'), win32: openersOf('win32') }).toEqual({
    linux: ['xdg-open', 'x-www-browser', 'www-browser'],
    darwin: ['/usr/bin/open'],
    win32: ['C:\\Windows\\System32\\rundll32.exe'],
  })
})

test('sections 6, 7.3 and 8.9: a request has PKCE, a state, and a redirect URI on a loopback address with a port', async () => {
  const { issuer } = await startTestProvider()
  const { prompt } = requireSignedIn(await signIn(plainSettings(issuer), as()))
  const sent = Object.fromEntries(new URL(prompt.address).searchParams)
  expect({ ...sent, redirect_uri: toStableText(sent.redirect_uri ?? '') }).toEqual({
    client_id: 'gatepass',
    response_type: 'code',
    scope: 'openid offline_access',
    nonce: expect.any(String),
    redirect_uri: 'http://127.0.0.1:PORT/callback',
    code_challenge_method: 'S256',
    code_challenge: expect.any(String),
    state: expect.any(String),
  })
})

async function open(options: Partial<ListenerOptions> = {}) {
  const listener = await openListener({ hosts: ['localhost'], path: '/back', ...options }, { subject: 'Example' })
  onTestFinished(() => listener.close())
  return { ...listener, port: Number(new URL(listener.redirectUri).port) }
}

/** Returns whether something listens on a port of an address of this machine. */
function isOpen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host, () => resolve(true))
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy())
  })
}

test('sections 7.3 and 8.3: one port is open in both versions of IP, on loopback alone, and until the sign-in ends', async () => {
  const { port, close } = await open()
  // Any other address of the machine stands for its network; this one is there without a network, too.
  const readOpen = async () => {
    const [four, six, other] = await Promise.all(['127.0.0.1', '::1', '127.0.0.2'].map((host) => isOpen(port, host)))
    return { four, six, other }
  }
  const during = await readOpen()
  await close()
  expect([during, await readOpen()]).toEqual([
    { four: true, six: true, other: false },
    { four: false, six: false, other: false },
  ])
})

/** Returns the status of the answer to a request. */
function visit(port: number, path: string, headers: Record<string, string> = {}): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const host = `localhost:${port}`
    const call = sendRequest({ host: '127.0.0.1', port, path, headers: { host, ...headers } })
    call.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject)
    call.end()
  })
}

const forged: Record<string, [path: string, headers?: Record<string, string>]> = {
  'a code without state': ['/back?code=evil'],
  'an error without state': ['/back?error=access_denied'],
  'another state': ['/back?code=evil&state=T'],
  'another path': ['/callback?code=evil&state=S'],
  'another host': ['/back?code=evil&state=S', { host: 'evil.example' }],
  'from another page': ['/back?code=evil&state=S', { referer: 'https://evil.example/' }],
  'a part of a page': ['/back?code=evil&state=S', { 'sec-fetch-dest': 'iframe' }],
}

test('sections 8.9 and 8.10: only an answer with the right state, path and host, from the provider, ends the wait', async () => {
  const { port, waitForCallback, finish } = await open({ referrers: ['login.example'] })
  const callback = waitForCallback('S')
  const statuses: Record<string, number | undefined> = {}
  for (const [what, [path, headers]] of Object.entries(forged)) statuses[what] = await visit(port, path, headers)
  const right = visit(port, '/back?code=c&state=S', { referer: 'https://login.example/' })
  const answer = Object.fromEntries(await callback)
  await finish({})
  expect({ statuses, answer, right: await right }).toEqual({
    statuses: Object.fromEntries(Object.keys(forged).map((what) => [what, 404])),
    answer: { code: 'c', state: 'S' },
    right: 200,
  })
})

test('section 8.10: where the provider compares no path, each sign-in has one of its own', () => {
  const paths = Array.from({ length: 100 }, createCallbackPath)
  expect(new Set(paths).size).toBe(100)
})

test('section 8.12: the last page is for a tab, and not for a frame of another page', () => {
  expect(/frame-ancestors [^;]*/.exec(answerHeaders['content-security-policy'])?.[0]).toBe("frame-ancestors 'none'")
})
