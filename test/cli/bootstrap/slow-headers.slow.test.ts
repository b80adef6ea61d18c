import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { startServerProcess } from '../gateway/verifier/verifier-process.ts'
import { createServedFolder } from './served.ts'

const connections = 100_000
/** How many of them are open at once: more than the server keeps, and fewer than the 20,000 descriptors that a process may have here. */
const atOnce = 8_000
/** Less than the 30 seconds that the client itself waits for an answer. */
const patienceMs = 20_000

/** Opens as many connections in all, keeps {@link atOnce} of them open, and sends a byte of a request on each every second. */
function startAttack(port: number) {
  const head = 'GET /bootstrap HTTP/1.1\r\nhost: a\r\nx-slow: '
  const open = new Set<Socket>()
  let opened = 0
  const openMore = () => {
    for (let count = 0; count < 500 && open.size < atOnce && opened < connections; count += 1) {
      // Another address of the machine for each part: one has fewer than 30,000 ports.
      const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (opened % 8)}` })
      opened += 1
      open.add(socket)
      socket.on('error', () => {}) // the server may end it
      socket.once('connect', () => socket.write(head))
      socket.once('close', () => open.delete(socket))
      socket.resume()
    }
  }
  const timers = [
    setInterval(openMore, 50),
    setInterval(() => {
      for (const socket of open) if (!socket.connecting) socket.write('x')
    }, 1_000),
  ]
  onTestFinished(() => {
    for (const timer of timers) clearInterval(timer)
    for (const socket of open) socket.destroy()
  })
  return { opened: () => opened, open: () => open.size }
}

/** One request over a connection of its own, as a client that has just started sends it. */
function ask(port: number, token: string): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    const signal = AbortSignal.timeout(patienceMs)
    request({ port, host: '127.0.0.1', path: '/bootstrap', headers, agent: false, signal }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.name))
      .end()
  })
}

test('a hundred thousand connections with slow headers keep nobody from the document', async () => {
  const { argv, token } = await createServedFolder([{ v: 1 }])
  const { addresses } = await startServerProcess(
    ...['bootstrap', 'serve', ...argv, '--listen', '127.0.0.1:0', '--admin-listen', '127.0.0.1:0'],
  )
  const port = Number(new URL(addresses.listen).port)
  const readMemory = async () => {
    const text = await (await fetch(`${addresses.admin}/metrics`)).text()
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  }
  await expect.poll(() => ask(port, token)).toBe(200)
  const before = await readMemory()
  const attack = startAttack(port)
  const outcomes = new Map<number | string, number>()
  let highest = before
  while (attack.opened() < connections || attack.open() > 0) {
    const outcome = await ask(port, token)
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    highest = Math.max(highest, await readMemory())
    await sleep(50)
  }
  expect([...outcomes.keys()]).toEqual([200])
  expect(outcomes.get(200)).toBeGreaterThan(20)
  expect(highest - before).toBeLessThan(400_000_000)
}, 600_000)
