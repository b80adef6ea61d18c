// A separate process for `start-load-server.ts`, so that its memory and its time can be measured.

import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { seedPlatform } from '../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { addResource } from '../../src/gateway/store/resources.ts'
import { openState, type State } from '../../src/gateway/store/state.ts'
import type { Answers, Memory, ServerReport } from './start-load-server.ts'

const [what, resources = '0'] = process.argv.slice(2)
if (what === 'gateway') await serveGateway(Number(resources))
else process.once('message', (answers: Answers) => serveFramework(answers))
// The server ends with the benchmark that started it.
process.on('disconnect', () => process.exit())
process.on('message', (message) => {
  if (message === 'memory') send(measureMemory())
})

async function serveGateway(count: number): Promise<void> {
  const state = openState({ now: Date.now })
  const { session, keys, workspaces } = seedPlatform(state)
  addFiles(state, session, count)
  const { url } = await startPlatform({ state })
  send({ url, session, workspace: workspaces.team, key: keys.personal.secret.reveal() })
}

/** Adds files to the session until it has this many resources; the seed has three. */
function addFiles(state: State, session: string, count: number): void {
  for (let index = 3; index < count; index += 1) {
    const file_id = state.createId('file')
    addResource(state, session, { type: 'file', file_id, mount_path: `/mnt/session/uploads/${file_id}` })
  }
}

/** Serves fixed answers with the web framework alone. */
function serveFramework(answers: Answers): void {
  const app = new Hono()
  for (const { method, path, body } of answers)
    app.on(method, path, async (c) => {
      await c.req.text()
      return c.body(body, 200, { 'content-type': 'application/json' })
    })
  serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => send({ url: `http://127.0.0.1:${port}` }))
}

function measureMemory(): Memory {
  const peakBytes = process.resourceUsage().maxRSS * 1024
  globalThis.gc?.()
  return { heapBytes: process.memoryUsage().heapUsed, residentBytes: process.memoryUsage.rss(), peakBytes }
}

function send(message: Partial<ServerReport> | Memory): void {
  process.send?.(message)
}
