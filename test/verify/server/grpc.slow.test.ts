import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { downloadDefinitions, packages } from '../../../pkg-scripts/envoy/download-definitions.ts'
import { renderMessages } from '../../../pkg-scripts/envoy/render-messages.ts'
import { downloadPackage, registryPausesMs } from '../../../pkg-scripts/executable/download-package.ts'
import { root } from '../../../pkg-scripts/tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { createCheckClient } from './ask-check.ts'
import { sendRaw, startVerifierStage } from './verifier-stage.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const

const startStage = () => startVerifierStage({ grpcListen: local })

test('the messages are those of the published definitions', async () => {
  const written = await readFile(join(root, 'src/verify/server/envoy-messages.ts'), 'utf8')
  const format = ['format', '--stdin-file-path=envoy-messages.ts']
  const { stdout } = await execa(join(root, 'node_modules/.bin/biome'), format, {
    input: renderMessages(await downloadDefinitions()),
    cwd: root,
  })
  expect(`${stdout}\n`).toBe(written)
})

/** Compiles Envoy's definition as it is published, with everything that it imports. */
async function compileDefinitions(): Promise<string> {
  const directory = await temporaryDirectory()
  const [envoy] = packages
  await execa('tar', ['xz', '-C', directory], { input: await downloadPackage(envoy!, registryPausesMs) })
  const include = ['envoy-api', 'googleapis', 'protoc-gen-validate', 'xds'].map(
    (name) => `-I${join(directory, 'package/deps', name)}`,
  )
  const path = join(directory, 'descriptors')
  const output = ['--include_imports', `--descriptor_set_out=${path}`]
  await execa('protoc', [...include, ...output, 'envoy/service/auth/v3/external_auth.proto'])
  return path
}

test('a client in Python, by the definitions that protoc compiles, applies what the answers say', async () => {
  const { grpcPort } = await startStage()
  const own = [
    ['x-user', 'root'],
    ['x-team', 'admins'],
    ['x_team', 'admins'],
    ['accept', 'text/plain'],
    ['x-api-key', 'sk-1'],
  ]
  const requests = [
    [[['authorization', 'Bearer a.b.c'], ...own], 'map'],
    [[['authorization', 'Bearer a.b.c'], ...own], 'raw'],
    [
      [
        ['authorization', 'Bearer a.b.c'],
        ['authorization', 'Bearer a.b.d'],
      ],
      'map',
    ],
    [[['authorization', 'Bearer a.stranger.c\u00ff']], 'raw'],
    [[['authorization', 'Bearer a.stranger.c']], 'raw'],
  ]
  const script = join(import.meta.dirname, 'ask-check.py')
  // Debian's own, which has the libraries of Debian.
  const { stdout } = await execa('/usr/bin/python3', [script, await compileDefinitions(), `127.0.0.1:${grpcPort}`], {
    input: JSON.stringify(requests),
  })
  const passed = {
    headers: [
      ['accept', 'text/plain'],
      ['x-user', 'a-b-c'],
    ],
    metadata: { rule: 'staff', issuer: 'https://idp.example', subject: 'a-b-c' },
  }
  const refused = (
    grpc: number,
    status: number,
    reason: string,
    message: string,
    challenge: string,
    detail?: string,
  ) => ({
    grpc,
    status,
    headers: [
      ['www-authenticate', `Bearer realm="gatepass", error="${challenge}"`],
      ['gatepass-refusal', reason],
      ...(detail ? [['gatepass-refusal-detail', detail]] : []),
      ['cache-control', 'no-store'],
      ['content-type', 'application/json'],
    ],
    body: {
      type: 'error',
      error: {
        type: status === 403 ? 'permission_error' : 'authentication_error',
        message,
        reason,
        ...(detail && { detail }),
      },
      request_id: 'req_…',
    },
    metadata: { reason, request: 'req_…' },
  })
  const several = 'the request has more than one token'
  const noRule = 'the token is good, and no rule of the policy lets its owner pass'
  expect(JSON.parse(stdout.replaceAll(/req_[\w-]+/g, 'req_…'))).toEqual([
    passed,
    passed,
    refused(16, 401, 'several-tokens', several, `invalid_token", error_description="${several}`),
    refused(
      ...([16, 401, 'malformed', 'the token is malformed'] as const),
      'invalid_token", error_description="the token is malformed',
    ),
    refused(
      ...([7, 403, 'no-rule', noRule] as const),
      `insufficient_scope", error_description="${noRule}: the claim 'team' is missing`,
      'the claim "team" is missing',
    ),
  ])
})

/** Returns a frame of HTTP/2 (RFC 9113, section 4.1). */
function toFrame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
const settings = toFrame(4, 0, 0)

test.each<[what: string, bytes: Buffer]>([
  ['a request of HTTP/1.1', Buffer.from('GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer a.b.c\r\n\r\n')],
  ['bytes without meaning', Buffer.alloc(100_000, 0xff)],
  ['a frame that is longer than agreed', Buffer.concat([preface, settings, toFrame(0, 0, 1, Buffer.alloc(20_000))])],
  ['data of a stream that was not opened', Buffer.concat([preface, settings, toFrame(0, 0, 1, Buffer.alloc(10))])],
  [
    'headers that are not compressed right',
    Buffer.concat([preface, settings, toFrame(1, 4, 1, Buffer.alloc(40, 0xff))]),
  ],
  ['a stream of an even number', Buffer.concat([preface, settings, toFrame(1, 4, 2, Buffer.from([0x82]))])],
  ['settings of a wrong length', Buffer.concat([preface, toFrame(4, 0, 0, Buffer.alloc(5))])],
])('the connection ends after %s, and others are answered', async (_what, bytes) => {
  const { grpcPort, lines } = await startStage()
  await sendRaw(grpcPort, bytes)
  const { check } = createCheckClient(`127.0.0.1:${grpcPort}`)
  const answer = await check({ headers: { authorization: 'Bearer a.b.c' } })
  expect([Object.keys(answer), lines]).toEqual([['status', 'okResponse', 'dynamicMetadata'], []])
})

const path = '/envoy.service.auth.v3.Authorization/Check'
const head = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' }

/** Opens a connection of HTTP/2 whose requests have any bytes; each answer is its status of HTTP and that of gRPC. */
function openSession(port: number) {
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  session.on('error', () => {})
  onTestFinished(() => session.destroy())
  const ask = async (body: Buffer, headers: object = {}) => {
    const stream = session.request({ ...head, ...headers })
    stream.on('error', () => {})
    const seen: unknown[] = []
    stream.on('response', (answer) => seen.push(answer[':status'], answer['grpc-status']))
    stream.on('trailers', (trailers) => seen.push(trailers['grpc-status']))
    stream.resume()
    stream.end(body)
    await once(stream, 'close')
    return seen.filter((value) => value !== undefined)
  }
  return { session, ask }
}

const toMessage = (payload: Buffer, compressed = 0) => {
  const prefix = Buffer.alloc(5)
  prefix.writeUInt8(compressed, 0)
  prefix.writeUInt32BE(payload.length, 1)
  return Buffer.concat([prefix, payload])
}

test('malformed requests of gRPC are refused one by one', async () => {
  const { grpcPort } = await startStage()
  const { ask } = openSession(grpcPort)
  const empty = toMessage(Buffer.alloc(0))
  expect({
    right: await ask(empty),
    type: await ask(empty, { 'content-type': 'application/json' }),
    method: await ask(empty, { ':path': '/envoy.service.auth.v3.Authorization/Other' }),
    nothing: await ask(Buffer.alloc(0)),
    half: await ask(empty.subarray(0, 3)),
    two: await ask(Buffer.concat([empty, empty])),
    long: await ask(Buffer.from('00ffffffff', 'hex')),
    compressed: await ask(toMessage(Buffer.from('not gzip'), 1), { 'grpc-encoding': 'gzip' }),
    encoding: await ask(toMessage(Buffer.alloc(4), 1), { 'grpc-encoding': 'other' }),
    depth: await ask(toMessage(Buffer.alloc(200_000, 0x0b))),
    afterwards: await ask(empty),
  }).toEqual({
    right: [200, '0'],
    type: [415],
    method: [200, '12'], // UNIMPLEMENTED
    nothing: [200, '12'],
    half: [200, '12'],
    two: [200, '12'],
    long: [200, '8'], // RESOURCE_EXHAUSTED
    compressed: [200, '13'], // INTERNAL
    encoding: [200, '12'],
    depth: [200, '13'],
    afterwards: [200, '0'],
  })
})

test('a client that opens as many streams as there may be and sends nothing is refused after a while', async () => {
  const { grpcPort } = await startStage()
  const { session } = openSession(grpcPort)
  await once(session, 'remoteSettings')
  const { maxConcurrentStreams } = session.remoteSettings
  const statuses = Array.from({ length: maxConcurrentStreams! }, async () => {
    const stream = session.request(head)
    stream.on('error', () => {})
    const [answer] = await once(stream, 'response')
    return answer['grpc-status']
  })
  const { check } = createCheckClient(`127.0.0.1:${grpcPort}`)
  const meanwhile = await check({ headers: { authorization: 'Bearer a.b.c' } })
  expect([Object.keys(meanwhile), new Set(await Promise.all(statuses)), maxConcurrentStreams]).toEqual([
    ['status', 'okResponse', 'dynamicMetadata'],
    new Set(['4']), // DEADLINE_EXCEEDED
    256,
  ])
})

test('the oldest of more slow requests than there may be are refused at once', async () => {
  const { grpcPort } = await startStage()
  const statuses: unknown[] = []
  const openSlow = async (count: number) => {
    const { session } = openSession(grpcPort)
    await once(session, 'remoteSettings')
    for (let at = 0; at < count; at += 1) {
      const stream = session.request(head)
      stream.on('error', () => {})
      stream.once('response', (answer) => statuses.push(answer['grpc-status']))
      stream.write(Buffer.from([0, 0, 1]))
    }
    await sleep(700) // in which the server would refuse some of these
  }
  for (const count of [256, 256, 256, 256]) await openSlow(count)
  const before = [...statuses]
  await openSlow(200)
  const { check } = createCheckClient(`127.0.0.1:${grpcPort}`)
  const meanwhile = await check({ headers: { authorization: 'Bearer a.b.c' } })
  const refused = Array.from({ length: 201 }, () => '8') // RESOURCE_EXHAUSTED; the one in between has taken the place of another
  expect([before, statuses, Object.keys(meanwhile)]).toEqual([[], refused, ['status', 'okResponse', 'dynamicMetadata']])
})

test('beyond the bound, connections that have asked nothing are ended', async () => {
  const { grpcPort } = await startStage()
  const { ask } = openSession(grpcPort)
  const empty = toMessage(Buffer.alloc(0))
  await ask(empty)
  const sockets = Array.from({ length: 700 }, () =>
    connect(grpcPort, '127.0.0.1')
      .on('error', () => {})
      .resume(),
  )
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await expect.poll(() => sockets.filter(({ closed }) => closed).length).toBe(700 + 1 - 512)
  expect(await ask(empty)).toEqual([200, '0'])
})
