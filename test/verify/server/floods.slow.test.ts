import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test } from 'vitest'
import { createBoundedServer, serverBounds } from '../../../src/verify/server/bounded-server.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { sendRaw, startVerifierStage } from './verifier-stage.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const ask = (token: string) => `GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
const status = async (port: number, token: string) =>
  (await fetch(`http://127.0.0.1:${port}`, { headers: { authorization: `Bearer ${token}` } })).status

async function openSocket(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
    .on('error', () => {})
    .resume() // so that its end is seen
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

test('a connection that sends the head of a request slowly, half of it or nothing is ended, and nobody else waits', async () => {
  const server = createBoundedServer((_request, response) => response.end())
  server.headersTimeout = 300 // in place of ten seconds
  const port = await listenDuringTest(server)
  const drip = async () => {
    const socket = await openSocket(port)
    socket.setEncoding('latin1')
    const answer: string[] = []
    socket.on('data', (text) => answer.push(String(text)))
    const ended = new Promise((resolve) => socket.once('close', resolve)) // also after a reset
    for (const letter of ask('a.b.c')) {
      if (socket.destroyed) break
      socket.write(letter)
      await sleep(50)
    }
    await ended
    return answer.join('')
  }
  const slow = Promise.all([
    ...['GET / HTTP/1.1\r\nHost: a\r\n', 'GET /\r\n', ''].map((text) => sendRaw(port, text)),
    drip(),
  ])
  const [other, answers] = await Promise.all([status(port, 'a.b.c'), slow])
  expect(other).toBe(200)
  const late = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
  expect(answers).toEqual([late, late, late, late])
})

/** Opens more connections than a server keeps, not more at once than the system keeps for a listener of its own process. */
async function openTooMany(port: number, use: (socket: Socket) => Promise<void>): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < serverBounds.connections + 200) {
    const more = await Promise.all(Array.from({ length: 400 }, () => openSocket(port)))
    await Promise.all(more.map(use))
    sockets.push(...more)
    await sleep(20) // so that the server accepts these before more come
  }
  return sockets
}

async function askAgain(socket: Socket): Promise<string | undefined> {
  const answered = once(socket, 'data')
  socket.write(ask('a.b.c'))
  const [answer] = await answered
  return String(answer).split('\r\n')[0]
}

const countOpen = (sockets: readonly Socket[]) => sockets.filter(({ readyState }) => readyState === 'open').length

test('beyond the bound, the oldest of the sockets that send nothing give way', async () => {
  const { port } = await startVerifierStage()
  const gateway = await openSocket(port)
  await askAgain(gateway)
  const silent = await openTooMany(port, async () => {})
  const rest = serverBounds.connections - 1
  await expect.poll(() => countOpen(silent), { timeout: 10_000 }).toBe(rest)
  const before = { latest: countOpen(silent.slice(-rest)), another: await status(port, 'a.b.c') } // by a connection of its own
  const kept = await askAgain(gateway)
  await expect.poll(() => countOpen(silent), { timeout: 10_000 }).toBe(rest - 1)
  expect({ ...before, kept }).toEqual({ latest: rest, another: 200, kept: 'HTTP/1.1 200 OK' })
})

test('beyond the bound, sockets that have asked once give way to a new one, the longest idle first', async () => {
  const { port } = await startVerifierStage()
  const asked = await openTooMany(port, async (socket) => void (await askAgain(socket)))
  await expect.poll(() => countOpen(asked), { timeout: 10_000 }).toBe(serverBounds.connections)
  expect(countOpen(asked.slice(-serverBounds.connections))).toBe(serverBounds.connections)
  expect(await status(port, 'a.b.c')).toBe(200)
})

test('beyond the bound, bodies that never end give way', async () => {
  const { port } = await startVerifierStage()
  const slow = await openTooMany(port, async (socket) => {
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx')
  })
  expect(await status(port, 'a.b.c')).toBe(200)
  await expect.poll(() => countOpen(slow)).toBeLessThan(serverBounds.connections)
})

test('a client that sends requests and reads no answer is not read further', async () => {
  const { port, asked } = await startVerifierStage()
  const socket = await openSocket(port)
  socket.pause()
  const count = 50_000
  for (let at = 0; at < count; at += 500)
    socket.write(Array.from({ length: 500 }, (_, index) => ask(`a.${at + index}.c`)).join(''))
  let seen = -1
  while (seen !== asked.length) {
    seen = asked.length
    await sleep(300)
  }
  expect([seen < count, await status(port, 'a.other.c')]).toEqual([true, 200])
})

test('a credential of blanks takes no longer than another one', async () => {
  const { port } = await startVerifierStage()
  const blanks = `a${' '.repeat(60_000)}b`
  await status(port, 'a.b.c')
  const startedAt = performance.now()
  const seen = [await status(port, blanks), await status(port, blanks)]
  // Far more than it takes, and far less than the square of the blanks.
  expect({ seen, quick: performance.now() - startedAt < 1_000 }).toEqual({ seen: [401, 401], quick: true })
})

test('a client that leaves while its token is verified leaves nothing behind', async () => {
  const begun = Promise.withResolvers<void>()
  const verified = Promise.withResolvers<never>()
  const { port, admin } = await startVerifierStage({
    made: {
      checks: {
        jwt: (token) => {
          if (token !== 'a.slow.c') throw new Error('another one')
          begun.resolve()
          return verified.promise
        },
      },
    },
  })
  const socket = await openSocket(port)
  socket.write(ask('a.slow.c'))
  await begun.promise
  socket.destroy()
  const busy = async () =>
    /^gatepass_verifications_in_flight (\d+)$/m.exec(await (await fetch(`${admin}/metrics`)).text())?.[1]
  expect(await busy()).toBe('1')
  verified.reject(new Error('late'))
  await expect.poll(busy).toBe('0')
})

test('fifty thousand different tokens are remembered up to the bound', async () => {
  const { port, admin, asked } = await startVerifierStage()
  const metrics = async () => (await fetch(`${admin}/metrics`)).text()
  const send = async (from: number, count: number) => {
    const requests = Array.from({ length: count }, (_, at) => ask(`a.${from + at}.${'c'.repeat(400)}`))
    const socket = await openSocket(port)
    const mark = 'HTTP/1.1 200 OK'
    let [answered, rest] = [0, '']
    socket.on('data', (bytes) => {
      const parts = (rest + String(bytes)).split(mark)
      answered += parts.length - 1
      rest = parts.at(-1)!.slice(1 - mark.length) // a mark may come in two pieces
    })
    socket.write(requests.join(''))
    while (answered < count) await once(socket, 'data')
    socket.destroy()
  }
  const measure = async () => {
    asked.length = 0 // of the made-up checks
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const sizes: number[] = []
  for (let from = 0; from < 50_000; from += 500) {
    await send(from, 500)
    if (from % 10_000 === 9_500) sizes.push(await measure())
  }
  const entries = /^gatepass_cache_entries (\d+)$/m.exec(await metrics())?.[1]
  // The tokens after the first ten thousand alone hold 16 MB.
  expect({ entries, grown: sizes.at(-1)! - sizes[0]! > 5_000_000 }).toEqual({ entries: '10000', grown: false })
})
