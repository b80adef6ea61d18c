// A process of its own: sends requests at a constant rate, whether or not earlier ones were answered, and counts the time of
// each from the moment at which it was due. `hey -q` waits for an answer before the next request of a connection and then
// leaves out what was due meanwhile, and `wrk` has no rate: their p99 hides what a pause of the server costs.

import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

const [url = '', requestsPath = '', rate = '', seconds = '', statuses = ''] = process.argv.slice(2)
const { hostname, port, pathname } = new URL(url)
const requests = readFileSync(requestsPath, 'utf8').trim().split('\n').map(renderRequest)
const expected = new RegExp(`^HTTP/1\\.1 (${statuses}) `)
// In the first second, V8 still compiles this process, which is late itself: even with nginx its p99 was 3 ms, with waits up to 17 ms.
const warmUp = Number(rate)
const counted = Number(rate) * Number(seconds)
const total = warmUp + counted
const waits = new Float64Array(counted)
const free: Socket[] = await Promise.all(Array.from({ length: 64 }, openSocket))
const due: number[] = []
let [sent, answered, taken] = [0, 0, 0]
const finished = Promise.withResolvers<void>()

const startedAt = performance.now()
sendDue()
await finished.promise
waits.sort()
const at = (part: number) => waits[Math.min(counted - 1, Math.floor(counted * part))]
process.stdout.write(JSON.stringify({ p50: at(0.5), p99: at(0.99), p999: at(0.999), longest: at(1) }))
process.exit()

/** Sends the requests that are due. It never sleeps, because a timer of Node is late by a millisecond. */
function sendDue(): void {
  const elapsedMs = performance.now() - startedAt
  for (; sent < total && (sent * 1000) / Number(rate) <= elapsedMs; sent += 1) due.push((sent * 1000) / Number(rate))
  while (due.length > 0 && free.length > 0)
    send(free.pop()!, due.shift()!, requests[(sent - due.length) % requests.length]!)
  if (answered < total) setImmediate(sendDue)
  else finished.resolve()
}

function send(socket: Socket, dueMs: number, request: string): void {
  socket.write(request)
  let received = ''
  const take = (chunk: Buffer) => {
    received += chunk.toString('latin1')
    if (!isWhole(received)) return
    if (!expected.test(received)) throw new Error(`the server under load answers: ${received}`)
    socket.off('data', take)
    answered += 1
    if (dueMs >= 1000) waits[taken++] = performance.now() - startedAt - dueMs
    free.push(socket)
  }
  socket.on('data', take)
}

/** Returns whether the headers and the announced number of bytes have arrived; a chunked answer announces none. */
function isWhole(received: string): boolean {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = Number(/^content-length: (\d+)\r$/im.exec(received.slice(0, end + 2))?.[1] ?? 0)
  return received.length >= end + 4 + length
}

/** A line has a token and, after a space, the client's entity tag. */
function renderRequest(line: string): string {
  const [token, etag] = line.split(' ')
  const held = etag === undefined ? '' : `if-none-match: ${etag}\r\n`
  return `GET ${pathname} HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\n${held}\r\n`
}

async function openSocket(): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  await once(socket, 'connect')
  return socket
}
