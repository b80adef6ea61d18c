import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { fails, prints } from '../../setup/run-program.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import type { Behaviour } from '../../stand-ins/front/front.ts'
import { startServer } from '../start-server.ts'
import { host, startApiSite } from './site.ts'

const list = (session: string) => ['api', 'GET', `/v1/sessions/${session}/resources`, '--select', 'data.*.type']
const say = ['api', 'messages', 'create', 'Hello?']
const listed = { status: 0, stdout: 'file\ngit_repository\nmemory_store\n', stderr: '' }
const there = (base = `https://${host}`) => ['--base-url', base]

describe('the way to the API', () => {
  test('leads through the proxy, with the authority of the organization', async () => {
    const { run, stage, proxy } = await startApiSite()
    expect(await run([...list(stage.seed.session), ...there()])).toEqual(listed)
    expect(proxy.asked).toEqual([`CONNECT ${host}:443`])
  })

  test.each<[variable: string, value: (port: number) => string]>([
    ['GATEPASS_PROXY', (port) => `http://127.0.0.1:${port}`],
    ['https_proxy', (port) => `127.0.0.1:${port}`],
    ['ALL_PROXY', (port) => `http://127.0.0.1:${port}`],
    ['HTTP_PROXY', (port) => `http://127.0.0.1:${port}`],
  ])('leads through the proxy that %s names', async (variable, value) => {
    const { run, stage, proxy, env } = await startApiSite()
    const { NODE_EXTRA_CA_CERTS = '' } = env
    const outcome = await run([...list(stage.seed.session), ...there()], {
      NODE_EXTRA_CA_CERTS,
      [variable]: value(proxy.port),
    })
    expect([outcome, proxy.asked.length]).toEqual([listed, 1])
  })

  test('leads past the proxy for hosts of NO_PROXY, and always for this machine', async () => {
    const { run, stage, proxy, env, front } = await startApiSite()
    const past = await run([...list(stage.seed.session), ...there()], { ...env, NO_PROXY: '.gatepass.invalid' })
    const here = await run([...list(stage.seed.session), ...there(front.url)])
    const stderr = past.stderr.replace(/\((ENOTFOUND|EAI_AGAIN)\)/, '(CODE)')
    expect({ past: { ...past, stderr }, here, asked: proxy.asked }).toEqual({
      past: fails('gatepass', 6, `${host} cannot be reached (CODE)`, 'check the network, the VPN and the proxy'),
      here: listed,
      asked: [],
    })
  })

  test('can be set in gatepass.json', async () => {
    const { run, stage, proxy, env, home } = await startApiSite()
    const file = { proxy: `http://127.0.0.1:${proxy.port}`, ca: env.NODE_EXTRA_CA_CERTS }
    await mkdir(join(home, '.config', 'gatepass'), { recursive: true })
    await writeFile(join(home, '.config', 'gatepass', 'gatepass.json'), JSON.stringify(file))
    expect(await run([...list(stage.seed.session), ...there()], {})).toEqual(listed)
    expect(proxy.asked.length).toBe(1)
  })

  test('ends at a server with an unknown authority, whose name the error gives', async () => {
    const { run, stage, front } = await startApiSite()
    const { port } = front
    expect(await run([...list(stage.seed.session), ...there(front.url)], {})).toEqual({
      status: 6,
      stdout: '',
      stderr: `gatepass: 127.0.0.1:${port} presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)
gatepass: hint: if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS
`,
    })
    expect(stage.records).toEqual([])
  })

  test.each(['GATEPASS_CA', 'AWS_CA_BUNDLE'])('trusts the authority that %s names', async (variable) => {
    const { run, stage, front, env } = await startApiSite()
    const outcome = await run([...list(stage.seed.session), ...there(front.url)], {
      [variable]: env.NODE_EXTRA_CA_CERTS ?? '',
    })
    expect(outcome).toEqual(listed)
  })

  test('ends at a proxy that refuses, which the error names without its password', async () => {
    const { run, stage, proxy, env } = await startApiSite()
    const { status, stderr } = await run([...list(stage.seed.session), ...there('https://other.gatepass.invalid')], {
      ...env,
      HTTPS_PROXY: `http://dana:canary@127.0.0.1:${proxy.port}`,
    })
    expect([status, stderr]).toEqual([
      6,
      `gatepass: the proxy http://127.0.0.1:${proxy.port} cannot reach other.gatepass.invalid:443 (HTTP 502)\ngatepass: hint: try again in a moment; if it stays so, check the host's name, then have the proxy's operators look for the cause\n`,
    ])
    expect(proxy.asked.length).toBe(3)
  })
})

const answer = (status: number, headers: Record<string, string> = {}): Behaviour => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ type: 'error', error: { type: 'api_error', message: 'busy' }, request_id: 'req_1' }),
})

describe('retries', () => {
  test.each<[what: string, behaviour: Behaviour]>([
    ['408', answer(408)],
    ['429', answer(429, { 'retry-after': '0' })],
    ['500', answer(500)],
    ['503', answer(503, { 'retry-after': '0' })],
    ['529', answer(529)],
    ['reset', 'reset'],
  ])('a GET is sent once more after %s', async (_, behaviour) => {
    const { run, stage, front } = await startApiSite()
    front.behave(behaviour, 'forward')
    expect(await run([...list(stage.seed.session), ...there()])).toEqual(listed)
    expect(front.requests).toBe(2)
  })

  test('a GET is sent three times before its answer is reported', async () => {
    const { run, stage, front } = await startApiSite()
    front.behave(answer(500))
    expect(await run([...list(stage.seed.session), ...there()])).toEqual({
      status: 6,
      stdout: '',
      stderr:
        'gatepass: HTTP 500 api_error: busy (request req_1)\ngatepass: hint: send it again later; if it still fails, report the request id to the platform\n',
    })
    expect(front.requests).toBe(3)
  })

  test.each<[what: string, behaviour: Behaviour, requests: number]>([
    ['429, which counts and does nothing', answer(429, { 'retry-after': '0' }), 2],
    ['429 without a time', answer(429), 2],
    ['503 that says when to come again', answer(503, { 'retry-after': '0' }), 2],
    ['529 that says when to come again', answer(529, { 'retry-after': '0' }), 2],
    ['503 that does not', answer(503), 1],
    ['500', answer(500), 1],
    ['408', answer(408), 1],
    ['a reset connection', 'reset', 1],
    ['half of an answer', 'truncate', 1],
  ])('a message is sent again after %s only if the server cannot have taken it', async (_, behaviour, requests) => {
    const { run, front } = await startApiSite()
    front.behave(behaviour, 'forward')
    const { status, stdout } = await run([...say, ...there()])
    expect([status, stdout, front.requests]).toEqual(requests === 2 ? [0, 'Hello?\n', 2] : [6, '', 1])
  })

  test('a message that cannot leave this machine is tried three times', async () => {
    const { run, proxy, front } = await startApiSite()
    const { status } = await run([...say, ...there('https://nowhere.gatepass.invalid')])
    expect([status, proxy.asked.length, front.requests]).toEqual([6, 3, 0])
  })

  test('a GET is not repeated where Retry-After is longer than --timeout', async () => {
    const { run, stage, front } = await startApiSite()
    front.behave(answer(429, { 'retry-after': '30' }))
    const { status } = await run([...list(stage.seed.session), ...there(), '--timeout', '2'])
    expect([status, front.requests]).toEqual([6, 1])
  })
})

describe('bounds', () => {
  test('a server that is silent for longer than --timeout is not asked again', async () => {
    const { run, stage, front } = await startApiSite()
    front.behave('silence')
    expect(await run([...list(stage.seed.session), ...there(front.url), '--timeout', '1'])).toEqual({
      status: 6,
      stdout: '',
      stderr: `gatepass: 127.0.0.1:${front.port} was silent for 1 s (waiting for 127.0.0.1:${front.port} to answer)
gatepass: hint: allow more time if the answer needs it; otherwise check the network, the VPN and the proxy
`,
    })
    expect(front.requests).toBe(1)
  })

  test('a stream may take longer than --timeout', async () => {
    const { run } = await startApiSite()
    const block = `data: ${'x'.repeat(512 * 1024)}\n\n`
    const url = await startServer(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (let sent = 0; sent < 4; sent += 1) {
        response.write(block)
        await sleep(600) // less than the second without data that ends a stream, and four times more than it
      }
      response.end()
    })
    expect(await run([...say, '--stream', ...there(url), '--timeout', '1'])).toEqual(prints(block.repeat(4)))
  })

  test('a stream is printed piece by piece before it has ended', async () => {
    const { run } = await startApiSite()
    const begun = Promise.withResolvers<void>()
    const url = await startServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      response.once('close', begun.resolve) // the command gives up, because nothing more comes
    })
    const outcome = await run([...say, '--stream', ...there(url), '--timeout', '1'])
    await begun.promise
    expect(toStableValue(outcome)).toEqual({
      status: 6,
      stdout: 'data: 1\n\n',
      stderr: `gatepass: 127.0.0.1:PORT was silent for 1 s (reading the answer of 127.0.0.1:PORT)
gatepass: hint: allow more time if the answer needs it; otherwise check the network, the VPN and the proxy
`,
    })
  })

  test('an endless answer is refused', async () => {
    const { run, front, stage } = await startApiSite()
    front.behave('endless')
    const { status, stdout, stderr } = await run(['api', 'resources', 'list', stage.seed.session, ...there()])
    expect([status, stdout, stderr]).toEqual([
      6,
      '',
      'gatepass: the API answered HTTP 200 (text/xml) with more than 65536 KiB\ngatepass: hint: ask for fewer items at a time, with a smaller limit\n',
    ])
  })

  test.each(['0', '86401', 'soon', '1.5'])('--timeout %s is refused', async (text) => {
    const { run } = await startApiSite()
    const { status, stderr } = await run([...say, ...there(), '--timeout', text])
    expect([status, stderr.includes("option '--timeout <seconds>' argument")]).toEqual([2, true])
  })
})

describe('a document at a URL', () => {
  const serve = (document: object): Behaviour => ({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(document),
  })
  const inference = { provider: 'gateway', baseUrl: `https://${host}` }

  test('is fetched through the proxy', async () => {
    const { run, stage, front, proxy } = await startApiSite()
    const key = stage.seed.keys.personal.secret.reveal()
    const credential = { kind: 'helper-script', command: process.execPath, args: ['-p', `'${key}'`] }
    front.behave(serve({ inference: { ...inference, credential } }), 'forward')
    const outcome = await run([...list(stage.seed.session), '--document', `https://${host}/configuration`, '--yes'])
    expect({ ...outcome, stderr: outcome.stderr.replace(/(?<=^This runs: +)\S.*(?= -p)/, 'NODE') }).toEqual({
      ...listed,
      stderr: `This runs:      NODE -p "'[secret]'"\nand sends to:   https://${host}/\n`,
    })
    expect(proxy.asked).toEqual([`CONNECT ${host}:443`, `CONNECT ${host}:443`])
  })

  test('may not name an address of this machine, unlike --base-url', async () => {
    const { run, stage, env } = await startApiSite()
    const key = stage.seed.keys.personal.secret.reveal()
    const credential = { kind: 'helper-script', command: process.execPath, args: ['-p', `'${key}'`] }
    const document = { inference: { provider: 'gateway', baseUrl: stage.url, credential } }
    const url = await startServer((_, response) => response.end(JSON.stringify(document)))
    const without = await run([...list(stage.seed.session), '--document', url, '--yes'])
    expect(without).toEqual({
      status: 2,
      stdout: '',
      stderr: `\
gatepass: inference.baseUrl: a served document cannot point to this machine (url-loopback-served)
gatepass: hint: use the address that users reach the gateway by
gatepass: the address of the API is missing
gatepass: hint: pass --base-url, or set GATEPASS_BASE_URL
`,
    })
    const outcome = await run([...list(stage.seed.session), '--document', url, '--yes', ...there(stage.url)], env)
    expect({ ...outcome, stderr: '' }).toEqual(listed)
  })

  test.each<[what: string, behaviours: Behaviour[], requests: number]>([
    ['a busy server', [answer(503)], 2],
    ['a broken connection', ['reset'], 2],
  ])('is asked for again after %s', async (_, behaviours, requests) => {
    const { run, front } = await startApiSite()
    front.behave(...behaviours, serve({ inference: { ...inference, credential: { kind: 'static', apiKey: 'k-1' } } }))
    const { status, stdout } = await run(['config', 'check', `https://${host}/configuration`])
    expect([status, stdout.includes('This document works'), front.requests]).toEqual([0, true, requests])
  })

  test('of a server that nobody trusts is a finding with the issuer', async () => {
    const { run, front } = await startApiSite()
    const outcome = toStableValue(await run(['config', 'check', `${front.url}/configuration`], {}))
    expect({ ...outcome, requests: front.requests }).toEqual({
      status: 2,
      stdout: `\
Errors: this will not take effect, or gives no credential
  the document  fetch-failed
    127.0.0.1:PORT presents a certificate issued by "Example Corp Root CA", which this machine does not trust (UNABLE_TO_VERIFY_LEAF_SIGNATURE)
    → if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS

The document cannot be read.
`,
      stderr: '',
      requests: 0,
    })
  })

  test.each(['simulate', 'doctor', 'api GET /v1/x --document'])(
    'is fetched by gatepass %s through the proxy',
    async (command) => {
      const { run, front, proxy } = await startApiSite()
      const distrusted = await run([...command.split(' '), `${front.url}/configuration`, '--yes'], {})
      const said = distrusted.stdout + distrusted.stderr
      expect([distrusted.status !== 0, said.includes('issued by "Example Corp Root CA"')]).toEqual([true, true])
      front.behave(answer(404))
      const { stdout, stderr } = await run([...command.split(' '), `https://${host}/configuration`, '--yes'])
      expect([(stdout + stderr).includes('the server answered with HTTP 404'), proxy.asked.length]).toEqual([true, 1])
    },
  )

  test('over plain http from another host is refused', async () => {
    const { run } = await startApiSite()
    expect(await run(['config', 'check', 'http://config.gatepass.invalid/doc'])).toEqual({
      status: 2,
      stdout: `\
Errors: this will not take effect, or gives no credential
  the document  fetch-failed
    config.gatepass.invalid would be asked over plain http, which anybody on the network can read
    → write https:// in front of config.gatepass.invalid

The document cannot be read.
`,
      stderr: '',
    })
  })
})
