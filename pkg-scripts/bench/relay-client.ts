// A process of its own, which `gatepass run` has started: its variables lead to the relay, its argument to the gateway.

import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as start } from 'node:http'
import { performance } from 'node:perf_hooks'
import { apiPaths } from '../../src/contract/http-api.ts'
import { comparePairs, type Measure } from './compare-pairs.ts'
import { longBytes, type RelayMeasurements } from './relay.ts'

const [gateway = '', pairs = '20'] = process.argv.slice(2)
const { OPENAI_BASE_URL: relay = '', OPENAI_API_KEY: key = '' } = process.env
const agent = new Agent({ keepAlive: true })

const measured: RelayMeasurements = {
  request: await compare(measureRequests, Number(pairs)),
  event: await compare(measureEvents, Number(pairs)),
  download: await compare(measureDownload, Number(pairs)),
  upload: await compare(measureUpload, Number(pairs)),
}
process.stdout.write(JSON.stringify(measured))
agent.destroy()

function compare(measure: (url: string) => Promise<number>, count: number) {
  const at =
    (url: string): Measure =>
    async () =>
      measure(url)
  return comparePairs(at(relay), at(gateway), count)
}

async function measureRequests(url: string): Promise<number> {
  const began = performance.now()
  for (let count = 0; count < 100; count += 1) await readRest(await send(url, apiPaths.messages, '{"stream":false}'))
  return performance.now() - began
}

/** Sends a piece of a body after the previous piece has come back. */
async function measureEvents(url: string): Promise<number> {
  const sent = startRequest(url, '/echo')
  sent.flushHeaders()
  sent.write('data: first\n\n')
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await once(answer, 'data')
  const began = performance.now()
  for (let count = 0; count < 100; count += 1) {
    sent.write('data: {"type":"ping"}\n\n')
    await once(answer, 'data')
  }
  const ms = performance.now() - began
  sent.end()
  await readRest(answer)
  return ms
}

async function measureDownload(url: string): Promise<number> {
  const began = performance.now()
  await readRest(await send(url, '/long', ''))
  return performance.now() - began
}

async function measureUpload(url: string): Promise<number> {
  const began = performance.now()
  const piece = Buffer.alloc(64 * 1024)
  const sent = startRequest(url, '/v1/files')
  for (let bytes = 0; bytes < longBytes; bytes += piece.length) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  await readRest(answer)
  return performance.now() - began
}

function startRequest(url: string, path: string): ClientRequest {
  return start(`${url}${path}`, { agent, method: 'POST', headers: { authorization: `Bearer ${key}` } })
}

async function send(url: string, path: string, body: string): Promise<IncomingMessage> {
  const sent = startRequest(url, path)
  sent.end(body)
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

async function readRest(answer: IncomingMessage): Promise<void> {
  if (answer.statusCode !== 200) throw new Error(`the gateway answers with ${answer.statusCode}`)
  answer.resume()
  if (!answer.readableEnded) await once(answer, 'end')
}
