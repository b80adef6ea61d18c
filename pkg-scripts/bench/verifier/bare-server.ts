import { serve } from '@hono/node-server'
import { Hono } from 'hono'

// A process of its own: the web framework alone, which answers every request as the verifier answers one that passes.
const headers: Record<string, string> = JSON.parse(process.argv[2] ?? '{}')
const app = new Hono()
app.all('*', (c) => c.body(null, 200, { ...headers, 'cache-control': 'no-store', 'content-length': '0' }))
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) =>
  process.stdout.write(`${JSON.stringify({ listen: `http://127.0.0.1:${port}` })}\n`),
)
