import { spawn } from 'node:child_process'
import { createServer, type Socket, connect as startTcp } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenOnLoopback } from '../setup/loopback.ts'

/** Accepts connections and sends nothing, until the test is over. Its port on loopback. */
export async function startMuteServer(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return listenOnLoopback(server)
}

/** Accepts no connection: its queue is full, and the only thread that could empty it waits. Its port. */
export async function startFullServer(): Promise<number> {
  const blocked = `const server = require('node:net').createServer()
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
})`
  const child = spawn(process.execPath, ['-e', blocked], { stdio: ['ignore', 'pipe', 'ignore'] })
  const port = await new Promise<number>((told) => child.stdout.once('data', (text) => told(Number(text))))
  const waiting = Array.from({ length: 4 }, () => startTcp(port, '127.0.0.1').on('error', () => {}))
  onTestFinished(() => {
    for (const socket of waiting) socket.destroy()
    child.kill('SIGKILL')
  })
  await new Promise((passed) => setTimeout(passed, 100))
  return port
}
