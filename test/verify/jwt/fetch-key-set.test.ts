import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import type { Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { fetchKeySet } from '../../../src/verify/jwt/issuer-keys.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { createTestKey, createTrust } from './issuer.ts'

const key = await createTestKey('ES256')
const set = { keys: [key.jwk] }

/** Answers by address, 404 where nothing is said, and notes what was asked. */
function createFetch(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = []
  const fetch: Fetch = async (url) => {
    asked.push(url)
    const answer = answers[url]
    if (answer instanceof Response) return answer
    return answer === undefined ? new Response('', { status: 404 }) : Response.json(answer)
  }
  return { asked, fetch }
}

async function kidsOf(...asked: Parameters<typeof fetchKeySet>) {
  const { keys } = await fetchKeySet(...asked)
  return keys.map(({ kid }) => kid)
}

describe('where the keys of an issuer are', () => {
  const openid = (issuer: string) => ({ issuer, jwks_uri: 'https://keys.example/jwks' })
  test.each<[issuer: string, answers: Record<string, unknown>]>([
    ['https://id.example', { 'https://id.example/.well-known/openid-configuration': openid('https://id.example') }],
    ['https://id.example/', { 'https://id.example/.well-known/openid-configuration': openid('https://id.example/') }],
    [
      'https://id.example/tenant/v2.0',
      {
        'https://id.example/tenant/v2.0/.well-known/openid-configuration': openid('https://id.example/tenant/v2.0'),
      },
    ],
    [
      'https://id.example/tenant',
      { 'https://id.example/.well-known/oauth-authorization-server/tenant': openid('https://id.example/tenant') },
    ],
    [
      'https://id.example//keys.example',
      {
        'https://id.example//keys.example/.well-known/openid-configuration': openid('https://id.example//keys.example'),
      },
    ],
  ])('finds the keys of %s', async (issuer, answers) => {
    const { asked, fetch } = createFetch({ ...answers, 'https://keys.example/jwks': set })
    const trust = createTrust([], { issuer, keys: 'discovered' })
    expect({ outcome: await kidsOf(trust, fetch), asked: asked.slice(-2) }).toEqual({
      outcome: [key.kid],
      asked: [Object.keys(answers)[0], 'https://keys.example/jwks'],
    })
  })

  test('a configured address is asked alone', async () => {
    const { asked, fetch } = createFetch({ 'https://keys.example/k': set })
    await fetchKeySet(createTrust([], { keys: { url: 'https://keys.example/k' } }), fetch)
    expect(asked).toEqual(['https://keys.example/k'])
  })

  test.each([
    ['http://127.0.0.1:8080/k', 'fetched'],
    ['http://localhost/k', 'fetched'],
    ['http://keys.example/k', 'keys are not fetched from keys.example over http:'],
    ['ftp://localhost/k', 'keys are not fetched from localhost over ftp:'],
  ])('an address without TLS is one on this machine: %s', async (url, outcome) => {
    const { fetch } = createFetch({ [url]: set })
    const fetched = fetchKeySet(createTrust([], { keys: { url } }), fetch)
    expect(await fetched.then(() => 'fetched').catch(({ message }) => message)).toBe(outcome)
  })

  test('keys in the policy need no request', async () => {
    const { asked, fetch } = createFetch({})
    expect({ outcome: await kidsOf(createTrust([key]), fetch), asked }).toEqual({ outcome: [key.kid], asked: [] })
  })
})

describe('a discovery document that is not followed', () => {
  const at = 'https://id.example/.well-known/openid-configuration'
  const secure = 'keys are not fetched from'
  test.each<[string, unknown, message: string]>([
    [
      'of another issuer',
      { issuer: 'https://id.example/', jwks_uri: 'https://k' },
      'is for another issuer: "https://id.example/"',
    ],
    ['of no issuer', { jwks_uri: 'https://keys.example' }, 'is for another issuer'],
    ['without keys', { issuer: 'https://id.example' }, 'the jwks_uri of https://id.example is not a URL'],
    ['with a list', { issuer: 'https://id.example', jwks_uri: ['https://k'] }, 'is not a URL'],
    ['with plain http', { issuer: 'https://id.example', jwks_uri: 'http://keys.example/' }, secure],
    ['with a file', { issuer: 'https://id.example', jwks_uri: 'file:///etc/passwd' }, secure],
    ['with data', { issuer: 'https://id.example', jwks_uri: 'data:application/json,{}' }, secure],
    ['with this machine', { issuer: 'https://id.example', jwks_uri: 'http://127.0.0.1:1/' }, 'is on this machine'],
    [
      'with this machine, by https',
      { issuer: 'https://id.example', jwks_uri: 'https://localhost/' },
      'on this machine',
    ],
    ['that is no object', [], 'answered with no JSON object'],
  ])('refuses a document %s', async (_, document, message) => {
    const { asked, fetch } = createFetch({ [at]: document })
    const trust = createTrust([], { keys: 'discovered' })
    await expect(fetchKeySet(trust, fetch)).rejects.toThrow(message)
    expect(asked).toEqual([at])
  })
})

test('a redirect is not followed by the fetch of Node either', async () => {
  const asked: (string | undefined)[] = []
  const server = createServer(({ url }, response) => {
    asked.push(url)
    if (url === '/jwks') response.writeHead(302, { location: '/elsewhere' }).end()
    else response.end(JSON.stringify(set))
  })
  const port = await listenDuringTest(server)
  const trust = createTrust([], { keys: { url: `http://127.0.0.1:${port}/jwks` } })
  await expect(fetchKeySet(trust, fetch)).rejects.toEqual(
    new HelperError(
      'unavailable',
      `127.0.0.1:${port} answered HTTP 302 at /jwks`,
      'look at what the issuer answers there',
    ),
  )
  expect(asked).toEqual(['/jwks'])
})

describe('an answer that is not a set of keys', () => {
  const html = new Response('<html>Sign in</html>', { headers: { 'content-type': 'text/html' } })
  const redirect = new Response('', { status: 302, headers: { location: 'https://evil.example' } })
  test.each<[string, Response, message: string]>([
    ['a web page', html, 'keys.example answered with no JSON object at /jwks, or with one that names a member twice'],
    ['a redirect', redirect, 'keys.example answered HTTP 302 at /jwks'],
    ['an error', new Response('{}', { status: 500 }), 'keys.example answered HTTP 500 at /jwks'],
    ['keys with another status', Response.json(set, { status: 201 }), 'keys.example answered HTTP 201 at /jwks'],
    ['10 MB', new Response(JSON.stringify({ ...set, a: 'a'.repeat(10 << 20) })), 'with more than 512 KiB'],
    ['an endless body', new Response(endless()), 'with more than 512 KiB'],
    ['a set that names its keys twice', new Response('{"keys":[],"keys":[]}'), 'with one that names a member twice'],
    ['half a set', new Response(JSON.stringify(set).slice(0, -1)), 'answered with no JSON object'],
    ['no keys', Response.json({ keys: [] }), 'keys.example gave no key that can be used'],
  ])('refuses %s', async (_, answer, message) => {
    const { fetch } = createFetch({ 'https://keys.example/jwks': answer })
    const trust = createTrust([], { keys: { url: 'https://keys.example/jwks' } })
    await expect(fetchKeySet(trust, fetch)).rejects.toThrow(message)
  })

  test('the content type of an answer does not matter', async () => {
    const answer = new Response(JSON.stringify(set), { headers: { 'content-type': 'application/octet-stream' } })
    const { fetch } = createFetch({ 'https://keys.example/jwks': answer })
    const trust = createTrust([], { keys: { url: 'https://keys.example/jwks' } })
    expect(await kidsOf(trust, fetch)).toEqual([key.kid])
  })
})

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(65_536, ' ')) })
}
