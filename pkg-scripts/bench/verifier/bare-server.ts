import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// A process of its own: the web framework alone, which answers every request as the measured server answers one that passes, without
// looking at anything but whether the client holds the document.
const { headers, body }: { headers: Record<string, string>; body?: string } = JSON.parse(process.argv[2] ?? '{}')
const empty = { ...headers, 'cache-control': 'no-store', 'content-length': '0' }
const app = new Hono()
app.all('*', (c) => {
  if (body === undefined) return c.body(null, 200, empty)
  return c.req.header('if-none-match') ? c.body(null, 304, headers) : c.body(body, 200, headers)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`${JSON.stringify({ listen: `http://127.0.0.1:${port}` })}\n`),
)
