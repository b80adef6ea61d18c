// A program that the benchmark starts: the web framework alone. It answers every request as the measured server answers one that passes,
// and checks only whether the client holds the document, or with a key only the signature of the token.

import { createPublicKey, verify } from 'node:crypto'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'

const given: { headers: Record<string, string>; body?: string; jwk?: string } = JSON.parse(process.argv[2] ?? '{}')
const { headers, body, jwk } = given
const empty = { ...headers, 'cache-control': 'no-store', 'content-length': '0' }
const key = jwk === undefined ? undefined : createPublicKey({ key: JSON.parse(jwk), format: 'jwk' })
const app = new Hono()
app.all('*', (c) => {
  if (key && !isSigned(c.req.header('authorization')?.slice('Bearer '.length) ?? '', key)) return c.body(null, 401)
  if (body === undefined) return c.body(null, 200, empty)
  return c.req.header('if-none-match') ? c.body(null, 304, headers) : c.body(body, 200, headers)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`${JSON.stringify({ listen: `http://127.0.0.1:${port}` })}\n`),
)

function isSigned(token: string, key: ReturnType<typeof createPublicKey>): boolean {
  const at = token.lastIndexOf('.')
  const signature = Buffer.from(token.slice(at + 1), 'base64url')
  return verify('sha256', Buffer.from(token.slice(0, at)), { key, dsaEncoding: 'ieee-p1363' }, signature)
}
