import { execFileSync, spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { createServer, type Server, type Socket, connect as startTcp } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { signInToSso } from '../helpers/aws-bedrock-token/sign-in.ts'
import { program, role, startWorkbench } from '../helpers/aws-bedrock-token/workbench.ts'
import { startForwardProxy } from '../stand-ins/proxy/forward-proxy.ts'
import { argv, host, region, startSite } from './site.ts'

const impatient = ['--client-timeout', '3']

/** A helper that gave up by itself, in time, and named what it waited for. */
async function expectLate(run: () => Promise<unknown>, stage: string): Promise<void> {
  const begin = Date.now()
  const outcome = await run()
  expect({ outcome, isInTime: Date.now() - begin < 3_000 }).toEqual({
    outcome: {
      status: 7,
      stdout: '',
      stderr: `${program}: ${stage} took longer than the 1 s of this call\n${program}: hint: find out why it is slow, or raise timeoutSec in the client's document and client-timeout here\n`,
    },
    isInTime: true,
  })
}

/** Accepts connections and says nothing on them. */
async function startMuteServer(): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => sockets.add(socket.on('error', () => {})))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return listen(server)
}

/** Answers no connection at all: its queue is full, and the only thread that could empty it waits. */
async function startFullServer(): Promise<number> {
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

async function listen(server: Server): Promise<number> {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return (server.address() as { port: number }).port // a TCP server, which listens
}

const stage = (what: string) => `AWS STS in ${region} (${what})`

test('connecting', async () => {
  await using site = await startSite()
  const port = await startFullServer()
  const env = { AWS_ENDPOINT_URL_STS: `https://127.0.0.1:${port}` }
  await expectLate(() => site.run({ argv: [...argv, ...impatient], env }), stage(`connecting to 127.0.0.1:${port}`))
})

test('the TLS handshake', async () => {
  await using site = await startSite()
  const port = await startMuteServer()
  const env = { AWS_ENDPOINT_URL_STS: `https://127.0.0.1:${port}` }
  await expectLate(
    () => site.run({ argv: [...argv, ...impatient], env }),
    stage(`in the TLS handshake with 127.0.0.1:${port}`),
  )
})

test('the beginning of the answer', async () => {
  await using site = await startSite()
  site.front.behave('silence')
  const env = { AWS_CA_BUNDLE: site.caPath }
  await expectLate(
    () => site.run({ argv: [...argv, ...impatient], env }),
    stage(`waiting for 127.0.0.1:${site.front.port} to answer`),
  )
})

test('the rest of the answer', async () => {
  await using site = await startSite()
  site.front.behave('drip')
  const env = { AWS_CA_BUNDLE: site.caPath }
  await expectLate(() => site.run({ argv: [...argv, ...impatient], env }), stage('reading the answer of 127.0.0.1'))
})

test('a proxy that accepts connections and no more', async () => {
  await using site = await startSite()
  const port = await startMuteServer()
  const env = { AWS_ENDPOINT_URL_STS: `https://${host}`, HTTPS_PROXY: `http://127.0.0.1:${port}` }
  await expectLate(
    () => site.run({ argv: [...argv, ...impatient], env }),
    stage(`waiting for the proxy http://127.0.0.1:${port} to open a tunnel to ${host}`),
  )
})

test('what lies behind a proxy', async () => {
  await using site = await startSite()
  await using proxy = await startForwardProxy({ routes: { [`${host}:443`]: await startMuteServer() } })
  const env = { AWS_ENDPOINT_URL_STS: `https://${host}`, HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` }
  await expectLate(
    () => site.run({ argv: [...argv, ...impatient], env }),
    stage(`in the TLS handshake with ${host} through the proxy http://127.0.0.1:${proxy.port}`),
  )
})

/** Opening a FIFO that nobody writes to keeps a thread stuck in the operating system, as a name lookup can. */
const makeFifo = (path: string) => execFileSync('mkfifo', [path])

test('a thread that is stuck in the AWS configuration', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'config')
  makeFifo(path)
  await expectLate(() => bench.run({ argv: impatient, env: { AWS_CONFIG_FILE: path } }), 'reading the configuration')
})

test('a thread that is stuck in the identity token', async () => {
  await using bench = await startWorkbench()
  const path = join(bench.home, 'token')
  makeFifo(path)
  await bench.write({ config: { 'profile build': { role_arn: role, web_identity_token_file: path, region } } })
  await expectLate(() => bench.run({ argv: [...argv, ...impatient] }), `reading ${path}`)
})

/** The cache's key looks at the sign-in, so that nobody else's token is served. */
test('a thread that is stuck in the SSO session', async () => {
  await using bench = await startWorkbench()
  const directory = await signInToSso(bench)
  await rm(directory.ssoCachePath('corp'))
  makeFifo(directory.ssoCachePath('corp'))
  await expectLate(() => bench.run({ argv: ['--profile', 'dev', ...impatient] }), 'reading the configuration')
})

test('a thread that is stuck in the certificate authorities', async () => {
  await using site = await startSite()
  const path = join(site.bench.home, 'fifo.pem')
  makeFifo(path)
  await expectLate(
    () => site.run({ argv: [...argv, ...impatient, '--ca', path] }),
    stage('reading certificate authorities'),
  )
})
