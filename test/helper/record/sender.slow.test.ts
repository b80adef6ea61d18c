import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readLastFailure } from '../../../src/outcomes/last-failure.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startCollector } from '../../stand-ins/collector/collector.ts'
import { startMuteServer } from '../../stand-ins/deaf-servers.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

const helper = 'command-token'
const canary = 'canary'

/** A home in which a program prints a token, and calls are told to an address. */
async function startDesk(endpoint: string) {
  const home = await temporaryDirectory()
  const cache = join(home, '.cache', 'gatepass')
  const document = JSON.stringify({ token: `${canary}-token`, expires_in: 7200 })
  const program = ['--command=/bin/sh', '--command=-c', `--command=echo '${document}'`]
  const env = { HOME: home, PATH: '/usr/bin:/bin', VENDOR_API_KEY: canary, GATEPASS_OTLP_ENDPOINT: endpoint }
  return {
    ...{ home, cache },
    call: async (...argv: string[]) => {
      const begin = performance.now()
      const outcome = await runBundle(helper, { argv: [...program, ...argv], env })
      return { ...outcome, ms: performance.now() - begin }
    },
    list: async () => (await readdir(cache)).filter((name) => name.startsWith('outcomes.')).sort(),
  }
}

test('a call that mints is told to a collector by a process that has no pipe of it, and a cached one with the next', async () => {
  const collector = await startCollector()
  const desk = await startDesk(collector.endpoint)
  const minted = await desk.call()
  expect(minted).toMatchObject({ status: 0, stderr: '' })
  await vi.waitFor(() => expect(collector.received).toHaveLength(1), 15_000)
  await vi.waitFor(async () => expect(await desk.list()).toEqual([expect.stringContaining('outcomes.turn-')]), 5_000)
  expect(await desk.call()).toMatchObject({ status: 0, stdout: minted.stdout, stderr: '' })
  expect(await desk.list()).toEqual(['outcomes.spool', expect.stringContaining('outcomes.turn-')])
  expect(collector.received).toHaveLength(1)
  const sent = collector.received.map(({ body }) => body).join()
  expect(sent).toContain('"command-token"')
  expect([sent, await readFile(join(desk.cache, 'outcomes.spool'), 'utf8')].join()).not.toContain(canary)
})

/** Answers with a body that has no end. */
async function startEndlessServer(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => response.write('x'.repeat(65_536))
    response.on('drain', more)
    more()
  }).listen(0, '127.0.0.1')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise((listening) => server.once('listening', listening))
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`
}

test.each<[what: string, start: () => Promise<string>, reason: RegExp]>([
  [
    'is slow',
    async () => `http://127.0.0.1:${await startMuteServer()}`,
    /^the collector \(waiting for \S+ to answer\) took longer than the 10 s that the call had left for sending$/,
  ],
  ['is dead', async () => 'http://127.0.0.1:1', /^127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)$/],
  ['never stops answering', startEndlessServer, /^\S+ answered with more than 1024 KiB$/],
  [
    'sends elsewhere',
    async () =>
      (await startCollector((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())).endpoint,
    /^the collector \S+ refused the metrics \(HTTP 302\)$/,
  ],
  [
    'refuses the key',
    async () => (await startCollector((response) => response.writeHead(401).end(canary))).endpoint,
    /^the collector \S+ refused the metrics \(HTTP 401\)$/,
  ],
  [
    'talks rubbish',
    async () => (await startCollector((response) => response.end('<p>'))).endpoint,
    /^the collector \S+ answered with something else than OTLP \(HTTP 200\)$/,
  ],
])('a collector that %s delays no call, costs counts at most, and leaves the reason', async (_, start, reason) => {
  const desk = await startDesk('')
  const plain = await desk.call('--cache=none')
  const told = await startDesk(await start())
  const first = await told.call('--cache=none')
  expect(first).toMatchObject({ status: 0, stdout: plain.stdout, stderr: '' })
  expect(first.ms - plain.ms).toBeLessThan(2000)
  await vi.waitFor(
    async () => expect((await told.list()).filter((name) => /spool|claimed/.test(name))).toEqual([]),
    20_000,
  )
  expect(await readLastFailure(told.cache, 'otlp')).toMatchObject({ message: expect.stringMatching(reason) })
})

test('the command of the process that sends does nothing for a person, and is not part of the help', async () => {
  const desk = await startDesk('')
  expect(await runBundle(helper, { argv: ['send-outcomes'], env: { HOME: desk.home } })).toEqual({
    ...{ status: 0, stdout: '', stderr: '' },
  })
  expect((await runBundle(helper, { argv: ['--help'], env: { HOME: desk.home } })).stdout).not.toContain(
    'send-outcomes',
  )
})

test('a disk without room prints the token all the same', async () => {
  const desk = await startDesk('http://127.0.0.1:1')
  await mkdir(join(desk.home, '.cache'), { mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=700', 'none', join(desk.home, '.cache')])
  onTestFinished(() => void execFileSync('umount', ['-l', join(desk.home, '.cache')]))
  await writeFile(join(desk.home, '.cache', 'full'), Buffer.alloc(16 * 1024)).catch(() => {})
  expect(await desk.call()).toMatchObject({ status: 0, stdout: expect.stringContaining(canary) })
})

test('a collector whose certificate is not trusted is told nothing, and an explanation says so', async () => {
  const front = await startFront('http://127.0.0.1:1', createAuthority('Another CA').issue({ names: ['127.0.0.1'] }))
  onTestFinished(() => front[Symbol.asyncDispose]())
  const desk = await startDesk(front.url)
  expect(await desk.call()).toMatchObject({ status: 0, stderr: '' })
  await vi.waitFor(async () => expect(await desk.list()).toContain('outcomes.failed-otlp'), 15_000)
  expect(front.requests).toBe(0)
  const { stdout, ...rest } = await desk.call('--explain')
  expect(rest).toMatchObject({ status: 0, stderr: '' })
  expect(stdout).toContain(`  told to the collector 127.0.0.1:${front.port}\n  problem: the last sending failed, at `)
  expect(stdout).toContain(
    `: 127.0.0.1:${front.port} presents a certificate issued by "Another CA", which this machine`,
  )
})

test('a collector that asks for a pause is asked by the next process no earlier', async () => {
  const collector = await startCollector((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
  const desk = await startDesk(collector.endpoint)
  await desk.call('--cache=none')
  await vi.waitFor(async () => expect(await desk.list()).toContain('outcomes.failed-otlp'), 15_000)
  for (const name of await desk.list()) if (name.includes('turn-')) await rm(join(desk.cache, name))
  await desk.call('--cache=none')
  await vi.waitFor(async () => {
    const kept = await readFile(join(desk.cache, 'outcomes.kept-otlp'), 'utf8')
    expect(kept.match(/"outcome":"success"/g)).toHaveLength(2)
  }, 15_000)
  expect(collector.received).toHaveLength(1)
})
