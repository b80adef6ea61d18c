import { describe, expect, test } from 'vitest'
import { sendRaw, startVerifierStage } from './verifier-stage.ts'

/** Returns a whole answer, but for the moment and the id of its request. */
async function exchange(port: number, request: string | Buffer): Promise<string> {
  const answer = await sendRaw(port, request)
  return answer.replaceAll(/^Date: .*\r\n/gm, '').replaceAll(/req_[\w-]+/g, 'req_…')
}

const passes = (user: string, connection = 'close') =>
  `HTTP/1.1 200 OK\r\nx-user: ${user}\r\nx-team: \r\ncache-control: no-store\r\ncontent-length: 0\r\nConnection: ${connection}\r\n\r\n`

function refused(reason: string, message: string): string {
  const error = { type: 'authentication_error', message, reason }
  const body = JSON.stringify({ type: 'error', error, request_id: 'req_…' })
  const length = Buffer.byteLength(body) - Buffer.byteLength('…') + 36
  const words = reason === 'no-token' ? '' : `, error="invalid_token", error_description="${message}"`
  return [
    'HTTP/1.1 401 Unauthorized',
    `www-authenticate: Bearer realm="gatepass"${words}`,
    `gatepass-refusal: ${reason}`,
    'cache-control: no-store',
    'content-type: application/json',
    `content-length: ${length}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

const several = refused('several-tokens', 'the request has more than one token')
const none = refused('no-token', 'the request has no token')
const malformed = refused('malformed', 'the token is malformed')
/** Before any header was looked at, in Node's own words; the connection ends. */
const bad = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n'
const tooLarge = 'HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n'

const good = 'Authorization: Bearer a.b.c'
const get = (...lines: readonly string[]) =>
  ['GET /v1/messages HTTP/1.1', 'Host: a', ...lines, 'Connection: close', '', ''].join('\r\n')
const post = (lines: readonly string[], body: string) =>
  ['POST / HTTP/1.1', 'Host: a', good, ...lines, 'Connection: close', '', body].join('\r\n')

describe('which token counts', () => {
  test.each<[what: string, request: string, answer: string]>([
    ['the same one in two lines', get(good, good), several],
    ['two in lines of another case', get(good, 'aUTHORIZATION: Bearer a.d.c'), several],
    ['an empty line before it', get('Authorization:', good), several],
    ['another scheme before it', get('Authorization: Basic eDp5', good), several],
    ['a list in one line', get('Authorization: Bearer a.b.c, Bearer a.d.c'), several],
    ['another one in a header that is not asked for', get(good, 'X-Api-Key: a.d.c'), passes('a-b-c')],
    ['names that look alike', get('Authorization_: Bearer a.b.c', 'X-Authorization: Bearer a.b.c'), none],
    ['a name with an underscore for a dash', get('Proxy_Authorization: Bearer a.b.c'), none],
    ['a name that ends with a NUL', get('Authorization\0: Bearer a.b.c'), bad],
    ['a name that begins with a byte order mark', get('\xef\xbb\xbfAuthorization: Bearer a.b.c'), bad],
    ['a NUL in the token', get('Authorization: Bearer a.b.c\0'), bad],
    ['a bell in the token', get('Authorization: Bearer a.b.c\x07'), bad],
    ['a byte beyond ASCII in the token', get('Authorization: Bearer a.b.c\xe9'), malformed],
    ['a tab between scheme and token', get('Authorization: Bearer\ta.b.c'), none],
    ['a tab in the token', get('Authorization: Bearer a.\tb.c'), malformed],
    ['a comma behind the token', get('Authorization: Bearer a.b.c,'), several],
    [
      'quotes around the token',
      get('Authorization: Bearer "a.b.c"'),
      refused('unknown-kind', 'tokens of this kind are not accepted here'),
    ],
    ['a folded line', get('Authorization: Bearer', ' a.b.c'), bad],
    ['a folded line behind another header', get('x: y', '\tAuthorization: Bearer a.b.c'), bad],
    ['a line that a CR alone ends', get('x: y\rAuthorization: Bearer a.b.c'), bad],
    ['a line that a LF alone ends', get('x: y\nAuthorization: Bearer a.b.c'), bad],
    ['a space before the colon', get('Authorization : Bearer a.b.c'), bad],
    ['a line without a colon', get(good, 'x'), bad],
    ['an empty name', get(good, ': x'), bad],
    ['identity headers of the caller', get(good, 'X-User: root', 'x_user: root', 'X-Team: root'), passes('a-b-c')],
    [
      'a token in the trailers',
      post(['Transfer-Encoding: chunked'], `0\r\nAuthorization: Bearer a.d.c\r\n\r\n`),
      passes('a-b-c'),
    ],
    [
      'a token of 16 KiB',
      get(`Authorization: Bearer a.b.${'c'.repeat(16 * 1024 - 4)}`),
      passes(`a-b-${'c'.repeat(16 * 1024 - 4)}`),
    ],
    ['a longer token', get(`Authorization: Bearer a.b.${'c'.repeat(16 * 1024 - 3)}`), malformed],
    ['a token of nearly 64 KiB', get(`Authorization: Bearer a.b.${'c'.repeat(65_000)}`), malformed],
    ['a token of 64 KiB', get(`Authorization: Bearer a.b.${'c'.repeat(65_536)}`), tooLarge],
    ['a long path', `GET /${'x'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, tooLarge],
    ['200 lines', get(good, ...Array(197).fill('x: y')), passes('a-b-c')],
    ['201 lines', get(good, ...Array(198).fill('x: y')), malformed],
    ['30,000 short lines', get(...Array(30_000).fill('x:'), good), malformed],
  ])('is decided for %s', async (_, request, answer) => {
    const { port } = await startVerifierStage()
    expect(await exchange(port, latin1(request))).toBe(answer)
  })

  test.each<[what: string, request: string, answer: string]>([
    ['the same token in both', get(good, 'X-Api-Key: a.b.c'), passes('a-b-c')],
    ['different ones', get(good, 'X-Api-Key: a.d.c'), several],
    ['one of them twice', get('X-Api-Key: a.b.c', 'x-api-key: a.b.c'), several],
    ['one that is empty', get(good, 'X-Api-Key:'), passes('a-b-c')],
    ['an underscore for the dashes', get(good, 'X_Api_Key: a.d.c'), passes('a-b-c')],
  ])('is decided where two headers may hold it: %s', async (_, request, answer) => {
    const { port } = await startVerifierStage({ tokenHeaders: ['authorization', 'x-api-key'] })
    expect(await exchange(port, request)).toBe(answer)
  })
})

/** A request inside of a body, which is never to be answered. */
const hidden = 'GET /hidden HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.hidden.c\r\n\r\n'

describe('where a request ends', () => {
  test.each<[what: string, request: string, answer: string]>([
    ['a request in a body with a length', post([`Content-Length: ${hidden.length}`], hidden), passes('a-b-c')],
    [
      'a request in a chunk',
      post(['Transfer-Encoding: chunked'], `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`),
      passes('a-b-c'),
    ],
    ['both lengths', post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`), bad],
    [
      'both, the other way round',
      post(['Transfer-Encoding: chunked', `Content-Length: ${hidden.length}`], hidden),
      bad,
    ],
    ['two lengths', post(['Content-Length: 0', `Content-Length: ${hidden.length}`], hidden), bad],
    ['the same length twice', post(['Content-Length: 1', 'Content-Length: 1'], 'x'), bad],
    ['a list of lengths', post(['Content-Length: 1, 1'], 'x'), bad],
    ['a length with a sign', post(['Content-Length: +1'], 'x'), bad],
    ['a negative length', post(['Content-Length: -1'], 'x'), bad],
    ['a length in hexadecimal', post(['Content-Length: 0x1'], 'x'), bad],
    ['a length beyond 64 bits', post(['Content-Length: 18446744073709551617'], 'x'), bad],
    ['an unknown encoding', post(['Transfer-Encoding: xchunked'], hidden), bad],
    ['an encoding after chunked', post(['Transfer-Encoding: chunked, identity'], hidden), bad],
    ['chunked twice', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], hidden), bad],
    ['a vertical tab before chunked', post(['Transfer-Encoding: \x0bchunked'], hidden), bad],
    ['a space before the colon', post(['Transfer-Encoding : chunked'], hidden), bad],
  ])('is decided for %s', async (_, request, answer) => {
    const { port } = await startVerifierStage()
    expect(await exchange(port, latin1(request))).toBe(answer)
  })

  test.each<[what: string, body: string]>([
    ['a size with a sign', `+5\r\nxxxxx\r\n0\r\n\r\n${hidden}`],
    ['a size in 0x', `0x5\r\nxxxxx\r\n0\r\n\r\n${hidden}`],
    ['a size beyond 64 bits', `10000000000000005\r\nxxxxx\r\n0\r\n\r\n${hidden}`],
    ['a size that a LF ends', `5\nxxxxx\r\n0\r\n\r\n${hidden}`],
    ['a chunk that is longer than its size', `5\r\nxxxxxx\r\n0\r\n\r\n${hidden}`],
    ['a CR alone in an extension', `5;a\rb\r\nxxxxx\r\n0\r\n\r\n${hidden}`],
  ])('is decided for chunks with %s', async (_, body) => {
    const { port, asked } = await startVerifierStage()
    const answer = await exchange(port, latin1(post(['Transfer-Encoding: chunked'], body)))
    // The head may have been answered before the body was seen to be none; the connection ends in either case.
    expect({ known: [bad, passes('a-b-c'), passes('a-b-c') + bad].includes(answer), asked: asked.slice(1) }).toEqual({
      known: true,
      asked: [],
    })
  })

  test.each<[what: string, request: string, answer: string]>([
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0', bad],
    ['a malformed version', `GET / HTTP/9.9\r\nHost: a\r\n${good}\r\n\r\n`, bad],
    ['a malformed method', `STEAL / HTTP/1.1\r\nHost: a\r\n${good}\r\n\r\n`, bad],
    ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', bad],
    ['the protocol of a proxy', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get(good)}`, bad],
    ['two hosts', get(good, 'Host: b'), passes('a-b-c')],
    [
      'an absolute target, which names the metrics of another host',
      get(good).replace('/v1/messages', 'http://b/metrics'),
      passes('a-b-c'),
    ],
    ['the path of the metrics', get().replace('/v1/messages', '/metrics'), none],
    ['the path of health in another spelling', get().replace('/v1/messages', '/./healthz?x=%0d%0a'), none],
    ['an asterisk', get().replace('GET /v1/messages', 'OPTIONS *'), none],
  ])('is decided for %s', async (_, request, answer) => {
    const { port } = await startVerifierStage()
    expect(await exchange(port, latin1(request))).toBe(answer)
  })

  test('900 requests in one write are answered in their order', async () => {
    const { port } = await startVerifierStage()
    const requests = Array.from(
      { length: 900 },
      (_, at) => `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.${at}.c\r\n\r\n`,
    )
    const answers = await exchange(port, requests.join('') + get('Authorization: Bearer a.last.c'))
    const users = [...answers.matchAll(/^x-user: a-(.*)-c\r$/gm)].map(([, user]) => user)
    expect(users).toEqual([...Array.from({ length: 900 }, (_, at) => String(at)), 'last'])
  })
})

/** One byte per character, as it goes over the wire. */
function latin1(text: string): Buffer {
  return Buffer.from(text, 'latin1')
}
