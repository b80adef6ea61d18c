import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { readLastFailure } from '../../../src/outcomes/last-failure.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { prints } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { toStableText } from '../../setup/to-stable-text.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import { startCollector } from '../../stand-ins/collector/collector.ts'
import { startMuteServer } from '../../stand-ins/deaf-servers.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

const helper = 'command-token'
const canary = 'canary'

const printed = { status: 0, stdout: `{"token":"${canary}-token"}\n`, stderr: '' }

/** Prepares a home in which a program prints a token, and calls are told to an address. */
async function startDesk(endpoint: string) {
  const home = await temporaryDirectory()
  const cache = join(home, '.cache', 'gatepass')
  const document = JSON.stringify({ token: `${canary}-token`, expires_in: 7200 })
  const program = ['--command=/bin/sh', '--command=-c', `--command=echo '${document}'`]
  const env = { HOME: home, PATH: '/usr/bin:/bin', VENDOR_API_KEY: canary, GATEPASS_OTLP_ENDPOINT: endpoint }
  return {
    home,
    cache,
    call: (...argv: string[]) => runBundle(helper, { argv: [...program, ...argv], env }),
    list: async () => {
      const names = (await readdir(cache)).filter((name) => name.startsWith('outcomes.')).sort()
      return names.map((name) => name.replace(/^outcomes\.turn-\d+$/, 'outcomes.turn-N'))
    },
  }
}

/** Starts a collector, and a desk whose call has minted and told it. */
async function startToldDesk() {
  const collector = await startCollector()
  const desk = await startDesk(collector.endpoint)
  const outcome = await desk.call()
  await vi.waitFor(() => expect(collector.received).toHaveLength(1), 15_000)
  await vi.waitFor(async () => expect(await desk.list()).toEqual(['outcomes.turn-N']), 5_000)
  return { collector, desk, outcome }
}

test('a call that mints prints its token, and a process without its pipes tells a collector', async () => {
  expect((await startToldDesk()).outcome).toEqual(printed)
})

test('a call that is served from the cache is reported with the next one that mints', async () => {
  const { collector, desk } = await startToldDesk()
  const outcome = await desk.call()
  expect({ outcome, files: await desk.list(), received: collector.received.length }).toEqual({
    outcome: printed,
    files: ['outcomes.spool', 'outcomes.turn-N'],
    received: 1,
  })
})

test('a collector learns the helper, and no secret of the call', async () => {
  const { collector, desk } = await startToldDesk()
  await desk.call()
  const [sent] = collector.received
  const texts = [sent?.body ?? '', await readFile(join(desk.cache, 'outcomes.spool'), 'utf8')]
  expect(texts.map((text) => [text.includes('"command-token"'), text.includes(canary)])).toEqual([
    [true, false],
    [true, false],
  ])
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

test.each<[what: string, start: () => Promise<string>, reason: string]>([
  [
    'is slow',
    async () => `http://127.0.0.1:${await startMuteServer()}`,
    'the collector (waiting for 127.0.0.1:PORT to answer) took longer than the 10 s that the call had left for sending',
  ],
  ['is dead', async () => 'http://127.0.0.1:1', '127.0.0.1:PORT cannot be reached (ECONNREFUSED)'],
  ['never stops answering', startEndlessServer, '127.0.0.1:PORT answered with more than 1024 KiB'],
  [
    'sends elsewhere',
    async () =>
      (await startCollector((response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end())).endpoint,
    'the collector 127.0.0.1:PORT refused the metrics (HTTP 302)',
  ],
  [
    'refuses the key',
    async () => (await startCollector((response) => response.writeHead(401).end(canary))).endpoint,
    'the collector 127.0.0.1:PORT refused the metrics (HTTP 401)',
  ],
  [
    'talks rubbish',
    async () => (await startCollector((response) => response.end('<p>'))).endpoint,
    'the collector 127.0.0.1:PORT answered with something else than OTLP (HTTP 200)',
  ],
])('a collector that %s delays no call, costs counts at most, and leaves the reason', async (_, start, reason) => {
  const desk = await startDesk('')
  const started = performance.now()
  const outcomes = [await desk.call('--cache=none')]
  const plainMs = performance.now() - started
  const told = await startDesk(await start())
  const begun = performance.now()
  outcomes.push(await told.call('--cache=none'))
  const toldMs = performance.now() - begun
  await waitUntil('nothing is to be sent', async () => !/spool|claimed/.test(String(await told.list())))
  const failure = await readLastFailure(told.cache, 'otlp')
  expect({ outcomes, isDelayed: toldMs > plainMs + 2000, reason: toStableText(failure?.message ?? '') }).toEqual({
    outcomes: [printed, printed],
    isDelayed: false,
    reason,
  })
})

test('the command of the process that sends does nothing for a person, and is not part of the help', async () => {
  const desk = await startDesk('')
  const run = (word: string) => runBundle(helper, { argv: [word], env: { HOME: desk.home } })
  const { stdout: help } = await run('--help')
  expect([await run('send-outcomes'), help.includes('send-outcomes')]).toEqual([prints(''), false])
})

test('a full disk does not keep the token from being printed', async () => {
  const desk = await startDesk('http://127.0.0.1:1')
  await mkdir(join(desk.home, '.cache'), { mode: 0o700 })
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k,mode=700', 'none', join(desk.home, '.cache')])
  onTestFinished(() => void execFileSync('umount', ['-l', join(desk.home, '.cache')]))
  await writeFile(join(desk.home, '.cache', 'full'), Buffer.alloc(16 * 1024)).catch(() => {})
  const reason = `there is no room on the disk of ${join(desk.home, '.cache', 'gatepass')} (ENOSPC)`
  expect(await desk.call()).toEqual({
    ...printed,
    stderr: `command-token: warning: cannot store the token for the next run: ${reason}\n`,
  })
})

test('a collector whose certificate is not trusted is told nothing', async () => {
  const front = await startFront('http://127.0.0.1:1', createAuthority('Another CA').issue({ names: ['127.0.0.1'] }))
  onTestFinished(() => front[Symbol.asyncDispose]())
  const desk = await startDesk(front.url)
  const outcome = await desk.call()
  await waitUntil('the sending has failed', async () => (await desk.list()).includes('outcomes.failed-otlp'))
  const { stdout, ...rest } = await desk.call('--explain')
  const outcomes = toStableText(stdout.slice(stdout.indexOf('\noutcomes\n')))
  expect({ outcome, requests: front.requests, explained: { ...rest, outcomes } }).toEqual({
    outcome: printed,
    requests: 0,
    explained: {
      status: 0,
      stderr: '',
      outcomes: `
outcomes
  told to the collector 127.0.0.1:PORT
  problem: the last sending failed, at DATE: 127.0.0.1:PORT presents a certificate issued by "Another CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE); if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS
`,
    },
  })
})

test('a collector that asks for a pause is asked by the next process no earlier', async () => {
  const collector = await startCollector((response) => response.writeHead(503, { 'retry-after': '3600' }).end())
  const desk = await startDesk(collector.endpoint)
  await desk.call('--cache=none')
  await waitUntil('the sending has failed', async () => (await desk.list()).includes('outcomes.failed-otlp'))
  for (const name of await readdir(desk.cache)) if (name.startsWith('outcomes.turn-')) await rm(join(desk.cache, name))
  await desk.call('--cache=none')
  await waitUntil('both calls are kept', async () => {
    const kept = await readFile(join(desk.cache, 'outcomes.kept-otlp'), 'utf8').catch(() => '')
    return kept.match(/"outcome":"success"/g)?.length === 2
  })
  expect(collector.received).toHaveLength(1)
})
