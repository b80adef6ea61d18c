import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { collectAcceptedSockets } from '../../setup/accepted-sockets.ts'
import { bearerOf, startBootstrapStage } from './bootstrap-stage.ts'

const dana = { sub: 'dana' }

function openSocket(port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {}) // the server may end it
  onTestFinished(() => void socket.destroy())
  return socket
}

const requestOf = (claims: object) =>
  `GET /bootstrap HTTP/1.1\r\nhost: a\r\nauthorization: ${bearerOf(claims).authorization}\r\n\r\n`

test('readers that take nothing are ended without keeping others from their document', async () => {
  const stage = await startBootstrapStage()
  await stage.publish({ documents: { '': { filler: 'x'.repeat(1_000_000) } } })
  await stage.ask(bearerOf(dana))
  const before = process.memoryUsage.rss()
  const accepted = collectAcceptedSockets()
  const readers = Array.from({ length: 300 }, () => openSocket(stage.port))
  for (const reader of readers) {
    reader.pause()
    // Eight answers in a row, so that no buffer of the system takes them all.
    reader.write(requestOf(dana).repeat(8))
  }
  await expect.poll(() => stage.audited.length, { timeout: 60_000 }).toBeGreaterThan(300)
  const grown = process.memoryUsage.rss() - before
  expect((await stage.ask(bearerOf({ sub: 'erin' }))).status).toBe(200)
  // 300 copies of eight answers would be 2,400 MB.
  expect(grown).toBeLessThan(1_200_000_000)
  for (const reader of readers) reader.on('end', () => {})
  await expect
    .poll(() => readers.filter(({ bytesRead }) => bytesRead < 8_000_000).length, { timeout: 30_000 })
    .toBeGreaterThan(0)
  // A reader that has stopped learns of its end only when it reads again.
  await expect
    .poll(() => accepted.filter(({ destroyed }) => destroyed).length, { timeout: 60_000 })
    .toBeGreaterThan(200)
  for (const reader of readers) reader.resume()
  // On a slow machine an answer that began late is still in time when its reader begins to read.
  const isDone = ({ destroyed, bytesRead }: Socket) => destroyed || bytesRead > 8_000_000
  await expect.poll(() => readers.filter(isDone).length, { timeout: 60_000 }).toBe(300)
  expect(readers.filter(({ bytesRead }) => bytesRead < 8_000_000).length).toBeGreaterThan(200)
}, 180_000)

test('four thousand connections that send their headers byte by byte are ended while others are served', async () => {
  const stage = await startBootstrapStage()
  await stage.publish({ documents: { '': { a: 1 } } })
  const slow = Array.from({ length: 3_900 }, () => openSocket(stage.port))
  const text = requestOf(dana).slice(0, -2)
  let position = 0
  const timer = setInterval(() => {
    for (const socket of slow) socket.write(text[position % text.length]!)
    position += 1
  }, 1_000)
  onTestFinished(() => clearInterval(timer))
  const statuses: number[] = []
  for (let count = 0; count < 20; count += 1) {
    statuses.push((await stage.ask(bearerOf(dana))).status)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  expect(new Set(statuses)).toEqual(new Set([200]))
  await expect
    .poll(() => slow.filter(({ closed, destroyed }) => closed || destroyed).length, { timeout: 90_000 })
    .toBe(3_900)
  expect((await stage.ask(bearerOf(dana))).status).toBe(200)
}, 180_000)
