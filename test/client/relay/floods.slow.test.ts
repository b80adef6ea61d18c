import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { writeTemporary } from '../../cli/run-gatepass.ts'
import { startServer } from '../../cli/start-server.ts'
import { createCountingSource, startGatewayStage, startRelayStage, toLine } from './relay-stage.ts'

const MiB = 1024 * 1024

/** Reads the most memory that a process has had, in bytes, as Linux counts it. */
async function readPeakBytes({ pid }: ChildProcess): Promise<number> {
  return Number(/^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024
}

/** Runs the built command with a client that is a script for Node: it says `ready`, goes on when a line comes, and ends with its input. */
async function runScript(baseUrl: string, script: string) {
  const helper = await writeTemporary('helper', '#!/bin/sh\necho token-1\n')
  await chmod(helper, 0o755)
  const source = `
    const { OPENAI_BASE_URL: url, OPENAI_API_KEY: key } = process.env
    const headers = { 'x-api-key': key }
    console.log('ready')
    process.stdin.once('data', async () => { ${script} }).once('end', () => process.exit(0))`
  const words = ['run', '--helper', helper, '--base-url', baseUrl, '--client', 'openai', '--base-path', '', '--']
  const argv = [toBundlePath('gatepass'), ...words, process.execPath, '-e', source]
  const child = spawn(process.execPath, argv, { env: { PATH: '/usr/bin:/bin' }, stdio: ['pipe', 'pipe', 'inherit'] })
  onTestFinished(() => void child.stdin.end())
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  await expect.poll(() => stdout).toBe('ready\n')
  return { child, stdout: () => stdout.replace('ready\n', '') }
}

describe('memory stays bounded', () => {
  test('while 64 MiB are sent to a gateway that reads slowly', async () => {
    const gateway = await startServer(async (request, response) => {
      let seen = 0
      for await (const chunk of request) {
        seen += chunk.length
        if (seen % 7 === 0) await sleep(1)
      }
      response.writeHead(401).end(String(seen))
    })
    const { child, stdout } = await runScript(
      gateway,
      `const r = await fetch(url, { method: 'POST', headers, body: Buffer.alloc(${64 * MiB}) }); console.log(r.status, await r.text())`,
    )
    const before = await readPeakBytes(child)
    child.stdin.write('\n')
    await expect.poll(stdout).toBe(`401 ${64 * MiB}\n`)
    // The relay keeps 16 MiB of the body, until it sees that the body is longer.
    expect((await readPeakBytes(child)) - before).toBeLessThan(48 * MiB)
  })

  test('while 512 MiB are answered to a client that reads slowly', async () => {
    const piece = Buffer.alloc(MiB)
    const gateway = await startServer(async (_request, response) => {
      for (let count = 0; count < 512; count += 1) if (!response.write(piece)) await once(response, 'drain')
      response.end()
    })
    const { child, stdout } = await runScript(
      gateway,
      `let seen = 0, count = 0
       for await (const chunk of (await fetch(url, { headers })).body) { seen += chunk.length; if (++count % 50 === 0) await new Promise((r) => setTimeout(r, 5)) }
       console.log(seen)`,
    )
    const before = await readPeakBytes(child)
    child.stdin.write('\n')
    await expect.poll(stdout, { timeout: 120_000 }).toBe(`${512 * MiB}\n`)
    // The pieces that have been passed on are freed when the collector of garbage comes to it.
    expect((await readPeakBytes(child)) - before).toBeLessThan(128 * MiB)
  })

  test('while thirty bodies of 12 MiB at once wait for a slow gateway', async () => {
    const gate = Promise.withResolvers<void>()
    let reached = 0
    const gateway = await startServer(async (request, response) => {
      for await (const _ of request);
      reached += 1
      if (reached === 30) gate.resolve()
      await gate.promise
      response.end()
    })
    const { child, stdout } = await runScript(
      gateway,
      `const body = Buffer.alloc(${12 * MiB})
       const all = await Promise.all(Array.from({ length: 30 }, () => fetch(url, { method: 'POST', headers, body })))
       console.log(all.map((r) => r.status).join())`,
    )
    const before = await readPeakBytes(child)
    child.stdin.write('\n')
    await expect.poll(stdout, { timeout: 120_000 }).toBe(`${Array(30).fill(200).join()}\n`)
    // 64 MiB are kept for all of them, and the collector of garbage is late; without a bound it would be 360.
    expect((await readPeakBytes(child)) - before).toBeLessThan(240 * MiB)
  })
})

describe('a program of another user', () => {
  /** Opens connections that send this and then nothing. */
  async function openAll(count: number, host: string, text: string): Promise<Socket[]> {
    const port = Number(host.split(':')[1])
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'))
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()))
    for (const socket of sockets) {
      socket.on('error', () => {})
      socket.resume()
      socket.write(text)
    }
    await Promise.all(sockets.map((socket) => once(socket, 'connect')))
    return sockets
  }

  test('that opens hundreds of silent connections keeps nobody out', async () => {
    const stage = await startGatewayStage((_request, response) => response.end('an answer'))
    const sockets = await openAll(500, stage.host, 'POST / HTTP/1.1\r\nx: ')
    expect(await toLine(await stage.fetch('/'))).toBe('200 an answer')
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
  })

  test('that opens more connections than there can be keeps nobody out', async () => {
    const stage = await startGatewayStage((_request, response) => response.end('an answer'))
    await openAll(1_100, stage.host, 'POST / HTTP/1.1\r\nx: ')
    expect(await toLine(await stage.fetch('/'))).toBe('200 an answer')
  })

  test('that floods with requests reaches neither helper nor gateway', async () => {
    const { source, counts } = createCountingSource()
    let reached = 0
    const stage = await startGatewayStage((_request, response) => {
      reached += 1
      response.end('an answer')
    }, source)
    const request = `GET / HTTP/1.1\r\nHost: ${stage.host}\r\nx-api-key: another\r\n\r\n`
    const sockets = await openAll(100, stage.host, request.repeat(500))
    await Promise.all(sockets.map((socket) => socket.closed || once(socket, 'close')))
    expect({ reached, asked: counts.current }).toEqual({ reached: 0, asked: 0 })
    expect(await toLine(await stage.fetch('/'))).toBe('200 an answer')
  })
})

test('a gateway that is killed in the middle of a stream breaks the stream off, and the next request says why', async () => {
  const script = `require('node:http').createServer((_, r) => r.write('data: 0\\n\\n')).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const host = `127.0.0.1:${String(line).trim()}`
  const stage = await startRelayStage(`http://${host}`)
  const response = await stage.fetch('/')
  child.kill('SIGKILL')
  await expect(response.text()).rejects.toThrow('terminated')
  expect(await toLine(await stage.fetch('/'))).toBe(
    `503 api_error: gatepass: ${host} cannot be reached (ECONNREFUSED); check what runs at ${host}`,
  )
})

test('two hundred requests of the client at once get their answers', async () => {
  const stage = await startGatewayStage((request, response) => void request.pipe(response))
  const send = async (_: unknown, number: number) =>
    (await stage.fetch('/', { method: 'POST', body: `${number} `.repeat(10_000) })).text()
  const answers = await Promise.all(Array.from({ length: 200 }, send))
  expect(answers.every((text, number) => text === `${number} `.repeat(10_000))).toBe(true)
})
