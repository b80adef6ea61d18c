import { apiPaths, apiVersion, sessionBeta } from '../../src/contract/http-api.ts'
import { vendor } from '../../src/vendor.ts'
import { comparePairs } from './compare-pairs.ts'
import { printComparison } from './report.ts'
import { sendLoad } from './send-load.ts'
import { type Answers, type LoadServer, startLoadServer } from './start-load-server.ts'

/** Measures the gateway's requests per second against those of its web framework alone, with the same answers; prints both. */
export async function printLoad(pairs: number): Promise<void> {
  using gateway = await startLoadServer({ resources: 1000 })
  const workloads = listWorkloads(gateway)
  using bare = await startLoadServer({
    answers: await Promise.all(workloads.map((load) => fetchAnswer(gateway, load))),
  })
  for (const load of workloads) {
    const bytes = renderRequest(gateway, load)
    const measure = (server: LoadServer) => () => sendLoad({ url: server.url, bytes }, load.count)
    const comparison = await comparePairs(measure(gateway), measure(bare), pairs)
    printComparison(`gateway, ${load.what}`, 'hono alone, the same bytes', '/s', comparison)
  }
}

interface Workload {
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body: string
  /** The requests of one measurement, for about half a second. */
  readonly count: number
}

function listWorkloads({ session }: LoadServer): Workload[] {
  const message = { model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'Hello?' }] }
  const list = `${apiPaths.sessions}/${session}/resources`
  return [
    { what: 'a message', method: 'POST', path: apiPaths.messages, body: JSON.stringify(message), count: 4000 },
    { what: 'a list of 1000 resources', method: 'GET', path: list, body: '', count: 400 },
  ]
}

async function fetchAnswer(server: LoadServer, { method, path, body }: Workload): Promise<Answers[number]> {
  const response = await fetch(server.url + path, { method, headers: toRequestHeaders(server), ...(body && { body }) })
  if (!response.ok) throw new Error(`the gateway answers ${response.status}: ${await response.text()}`)
  return { method, path, body: await response.text() }
}

function renderRequest(server: LoadServer, { method, path, body }: Workload): string {
  const headers = { host: '127.0.0.1', ...toRequestHeaders(server), 'content-length': String(Buffer.byteLength(body)) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join('\r\n')
}

function toRequestHeaders({ key }: LoadServer): Record<string, string> {
  return {
    authorization: `Bearer ${key}`,
    [vendor.versionHeader]: apiVersion,
    [vendor.betaHeader]: sessionBeta,
    'content-type': 'application/json',
  }
}
