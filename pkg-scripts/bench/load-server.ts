import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { seedPlatform } from '../../src/gateway/seed.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { addResource } from '../../src/gateway/store/resources.ts'
import { openState, type State } from '../../src/gateway/store/state.ts'
import type { Answers, Memory, Served } from './start-load-server.ts'

// A process of its own for `start-load-server.ts`: what it uses is its own, and so is the time that it takes.
const [what, resources = '0'] = process.argv.slice(2)
if (what === 'gateway') await serveGateway(Number(resources))
else process.once('message', (answers: Answers) => serveBare(answers))
// Nobody waits for a server whose benchmark has ended.
process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  if (message === 'memory') tell(measureMemory())
})

async function serveGateway(count: number): Promise<void> {
  const state = openState({ now: Date.now })
  const { session, keys, workspaces } = seedPlatform(state)
  fill(state, session, count)
  const { url } = await startPlatform({ state })
  tell({ url, session, workspace: workspaces.team, key: keys.personal.secret.reveal() })
}

/** As many files in the session as asked for, what it was seeded with included. */
function fill(state: State, session: string, count: number): void {
  for (let index = 3; index < count; index += 1) {
    const file_id = state.newId('file')
    addResource(state, session, { type: 'file', file_id, mount_path: `/mnt/session/uploads/${file_id}` })
  }
}

/** The web framework, with nothing around it but what reads a request and writes an answer. */
function serveBare(answers: Answers): void {
  const app = new Hono()
  for (const { method, path, body } of answers)
    app.on(method, path, async (c) => {
      await c.req.text()
      return c.body(body, 200, { 'content-type': 'application/json' })
    })
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => tell({ url: `http://127.0.0.1:${port}` }))
}

function measureMemory(): Memory {
  const peakBytes = process.resourceUsage().maxRSS * 1024
  globalThis.gc?.()
  return { heapBytes: process.memoryUsage().heapUsed, residentBytes: process.memoryUsage.rss(), peakBytes }
}

function tell(message: Partial<Served> | Memory): void {
  process.send?.(message)
}
