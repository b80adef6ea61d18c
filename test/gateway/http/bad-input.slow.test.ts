import { once } from 'node:events'
import { createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { addResource } from '../../../src/gateway/store/resources.ts'
import { collectAcceptedSockets } from '../../setup/accepted-sockets.ts'
import { message, startStage } from '../stage.ts'

async function start() {
  const stage = await startStage()
  const connect = async () => {
    const socket = createConnection({ port: Number(new URL(stage.url).port), host: '127.0.0.1' })
    socket.on('error', () => {})
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    return socket
  }
  const serves = async () =>
    (await stage.send('POST', '/v1/messages', { as: stage.seed.keys.personal.secret, body: message })).status
  return { ...stage, connect, serves }
}

test('a thousand silent connections block nobody, and are closed', async () => {
  const { connect, serves } = await start()
  const sockets = await Promise.all(Array.from({ length: 1000 }, connect))
  expect(await serves()).toBe(200)
  await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket.resume(), 'close'))))
  expect(await serves()).toBe(200)
})

test('a client that sends its headers byte by byte is cut off after ten seconds, and one that never ends its body after thirty', async () => {
  const { connect, serves, seed } = await start()
  const endless = await connect()
  const key = seed.keys.personal.secret.reveal()
  endless.write(
    `POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nvendor-version: 2023-06-01\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{`,
  )
  const bodyBegunAt = performance.now()
  const bodyCut = once(endless.resume(), 'close')
  const socket = await connect()
  const timer = setInterval(() => socket.write('x'), 200)
  onTestFinished(() => clearInterval(timer))
  const startedAt = performance.now()
  socket.write('POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  await once(socket.resume(), 'close')
  const seconds = [Math.floor((performance.now() - startedAt) / 1000)]
  const answers = [await serves()]
  await bodyCut
  seconds.push(Math.floor((performance.now() - bodyBegunAt) / 1000))
  answers.push(await serves())
  // On a busy machine each is cut off some seconds later.
  expect({ answers, isInTime: [seconds[0]! >= 9 && seconds[0]! < 20, seconds[1]! >= 29] }, String(seconds)).toEqual({
    answers: [200, 200],
    isInTime: [true, true],
  })
})

test('a client that does not read its answers blocks nobody', async () => {
  const { connect, serves, seed, state } = await start()
  const mount_path = '/'.padEnd(4096, 'p')
  for (let index = 0; index < 200; index += 1)
    addResource(state, seed.session, { type: 'file', file_id: seed.file, mount_path })
  const accepted = collectAcceptedSockets()
  const socket = await connect()
  const key = seed.keys.personal.secret.reveal()
  const list = `GET /v1/sessions/${seed.session}/resources HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${key}\r\nvendor-beta: managed-agents-2026-04-01\r\n\r\n`
  socket.pause().write(list.repeat(50))
  await expect.poll(() => accepted.some(({ writableNeedDrain }) => writableNeedDrain)).toBe(true)
  expect(await serves()).toBe(200)
  socket.destroy()
  expect(await serves()).toBe(200)
})
