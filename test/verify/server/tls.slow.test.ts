import { once } from 'node:events'
import { chmod, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { Client, credentials } from '@grpc/grpc-js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFollowingTls, type TlsEvent } from '../../../src/verify/server/tls-files.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { type Certificate, createAuthority, inHours } from '../../stand-ins/tls/certificate.ts'
import { startVerifierStage } from './verifier-stage.ts'

const local = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const
const authority = createAuthority('Example Authority')
const issue = (more: object = {}) => authority.issue({ names: ['127.0.0.1', 'verifier.example'], ...more })

/** Files of a pair, and what follows them; a look finds a change. */
async function startFollower(pair: Certificate = issue(), clientCa?: string) {
  const directory = await temporaryDirectory()
  const paths = { cert: join(directory, 'cert.pem'), key: join(directory, 'key.pem') }
  const write = async ({ cert, key }: Certificate) => {
    await writeFile(paths.cert, cert)
    await writeFile(paths.key, key, { mode: 0o600 })
  }
  await write(pair)
  const ca = join(directory, 'ca.pem')
  if (clientCa) await writeFile(ca, clientCa)
  const events: TlsEvent[] = []
  const files = { ...paths, ...(clientCa && { clientCa: ca }) }
  useFakeTimers('timeouts and intervals') // the test itself says when the files are looked at
  const start = (now = Date.now) => startFollowingTls(files, { now, observe: (event) => events.push(event) })
  return { paths, write, events, start, directory }
}

/** Finds a failure without the directory of the test. */
async function findFailure(start: () => Promise<unknown>, directory: string) {
  const { kind, message, hint } = await start().then(
    () => ({ kind: 'none', message: '', hint: '' }),
    (thrown) => thrown,
  )
  return [kind, ...[message, hint].map((line) => line.replaceAll(`${directory}/`, ''))]
}

describe('a start', () => {
  const other = issue()
  test.each<[what: string, pair: Certificate, message: string, hint: string]>([
    [
      'another key',
      { ...issue(), key: other.key },
      'the key in key.pem is not that of the first certificate in cert.pem',
      'install both from the same issue, the certificate of the server before those of its authorities',
    ],
    [
      'an expired certificate',
      issue({ until: new Date('2026-01-01T00:00:00Z'), from: new Date('2025-01-01T00:00:00Z') }),
      'the certificate in cert.pem expired at 2026-01-01T00:00:00.000Z',
      'have it renewed',
    ],
    [
      'a certificate of the future',
      issue({ from: new Date('2190-01-01T00:00:00Z'), until: new Date('2191-01-01T00:00:00Z') }),
      'the certificate in cert.pem is not valid before 2190-01-01T00:00:00.000Z',
      'wait until then, or set the clock of this machine',
    ],
    [
      'no certificate',
      { ...issue(), cert: 'nothing' },
      'cert.pem does not begin with a certificate in PEM',
      'name a file that begins with "-----BEGIN CERTIFICATE-----" with --tls-cert',
    ],
    [
      'no key',
      { ...issue(), key: 'nothing' },
      'key.pem holds no private key in PEM',
      'name a file that begins with "-----BEGIN PRIVATE KEY-----" with --tls-key',
    ],
    [
      'a key with a passphrase',
      { ...issue(), key: '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n' },
      'the key in key.pem needs a passphrase',
      "write it without one, readable for the verifier alone: openssl pkey -in 'key.pem' -out key-without-passphrase.pem",
    ],
  ])('refuses %s', async (_what, pair, message, hint) => {
    const { start, directory } = await startFollower(pair)
    expect(await findFailure(start, directory)).toEqual(['not-configured', message, hint])
  })

  test('refuses a key that every user can read, and an authority whose certificate is that of a server', async () => {
    const { start, directory, paths } = await startFollower(issue(), issue().cert)
    expect(await findFailure(start, directory)).toEqual([
      'not-configured',
      'the first certificate in ca.pem is not that of an authority',
      'name the authority that issues the certificates of the gateways with --client-ca',
    ])
    await chmod(paths.key, 0o644)
    expect(await findFailure(start, directory)).toEqual([
      'not-configured',
      'the key key.pem can be read by every user of this machine',
      "run: chmod o= 'key.pem'; for a Secret of Kubernetes, set defaultMode: 0440",
    ])
  })
})

test('a new pair is in force, and one that cannot be used changes nothing', async () => {
  const { start, write, events } = await startFollower(issue({ until: inHours(1) }))
  const follower = await start()
  onTestFinished(() => follower.close())
  const used: unknown[] = []
  follower.onChange(({ cert }) => used.push(cert))
  await follower.look()
  const next = issue({ until: inHours(2) })
  await write({ ...next, key: issue().key })
  await follower.look()
  await follower.look()
  expect(follower.state().isRefused).toBe(true)
  await write(next)
  await follower.look()
  expect([events.map(({ kind }) => kind), used, follower.state().isRefused]).toEqual([
    ['loaded', 'kept', 'replaced'],
    [next.cert],
    false,
  ])
})

test('a certificate is in force once it begins to be valid', async () => {
  const { start, write, events } = await startFollower()
  const clock = { now: Date.now() }
  const follower = await start(() => clock.now)
  onTestFinished(() => follower.close())
  await write(issue({ from: inHours(1), until: inHours(2) }))
  await follower.look()
  await follower.look()
  clock.now += 3_660_000
  await follower.look()
  expect([events.map(({ kind }) => kind), follower.state().isRefused]).toEqual([['loaded', 'kept', 'replaced'], false])
})

/** Starts a verifier with TLS, and how a client with these options is answered over HTTP and gRPC. */
async function startTlsStage(clientCa?: string, clientNames: readonly string[] = []) {
  const made = await startFollower(issue(), clientCa)
  const files = await made.start()
  onTestFinished(() => files.close())
  const stage = await startVerifierStage({ grpcListen: local, tls: { files, clientNames } })
  const askHttp = (own: Partial<Certificate> & { readonly maxVersion?: 'TLSv1.1' } = {}) =>
    new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: stage.port, ca: authority.cert, agent: false as const, ...own }
      const sent = request({ ...options, headers: { authorization: 'Bearer a.b.c' } }, async (answer) => {
        await text(answer)
        resolve(answer.statusCode)
      })
      sent.on('error', () => resolve('no answer'))
      sent.end()
    })
  const askGrpc = ({ cert, key }: Partial<Certificate> = {}) => {
    const pem = (value?: string) => (value === undefined ? null : Buffer.from(value))
    const channel = credentials.createSsl(Buffer.from(authority.cert), pem(key), pem(cert))
    // The library cannot ask for an address.
    const name = { 'grpc.ssl_target_name_override': 'verifier.example' }
    const client = new Client(`127.0.0.1:${stage.grpcPort}`, channel, name)
    onTestFinished(() => client.close())
    return new Promise((resolve) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (value: Buffer) => value,
        (value: Buffer) => value.toString('hex'),
        Buffer.alloc(0),
        { deadline: Date.now() + 5_000 },
        (error, answer) => resolve(error ? 'no answer' : answer),
      )
    })
  }
  return { ...made, ...stage, files, askHttp, askGrpc }
}

const serving = '0801'

describe('a verifier with its own TLS', () => {
  test('answers over HTTP and gRPC, but not below TLS 1.2 or without TLS', async () => {
    const { askHttp, askGrpc, port } = await startTlsStage()
    const answers = [await askHttp(), await askGrpc()]
    const ended = (options: object) =>
      new Promise((resolve) => {
        const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert, ...options }, () =>
          resolve(socket.getProtocol()),
        )
        socket.on('error', () => resolve('refused'))
      })
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }
    const versions = [await ended(old), await ended({ maxVersion: 'TLSv1.2' })]
    const plain = await fetch(`http://127.0.0.1:${port}`).then(
      ({ status }) => status,
      () => 'no answer',
    )
    expect({ answers, versions, plain }).toEqual({
      answers: [200, serving],
      versions: ['refused', 'TLSv1.2'],
      plain: 'no answer',
    })
  })

  test('warns of a connection that speaks another protocol', async () => {
    const { port, lines } = await startTlsStage()
    const connectAndEnd = async (text: string) => {
      const socket = connect({ port, host: '127.0.0.1' })
      socket.on('error', () => {})
      await once(socket, 'connect')
      socket.end(text).resume()
      await once(socket, 'close')
    }
    await connectAndEnd('')
    await connectAndEnd('GET / HTTP/1.1\r\n\r\n')
    await expect.poll(() => lines.length).toBeGreaterThan(0)
    expect(lines.map((line) => JSON.parse(line).message)).toEqual([
      'a connection has no TLS that is accepted (ERR_SSL_HTTP_REQUEST)',
    ])
  })

  test('presents a new certificate on new connections', async () => {
    const { write, files, port } = await startTlsStage()
    const presented = () =>
      new Promise((resolve, reject) => {
        const socket = connectTls({ port, host: '127.0.0.1', ca: authority.cert }, () => {
          resolve(socket.getPeerCertificate().fingerprint256)
          socket.destroy()
        })
        socket.on('error', reject)
      })
    const first = await presented()
    await write(issue())
    await files.look()
    const second = await presented()
    expect([first === second, await presented()]).toEqual([false, second])
  })

  test('asks gateways for a certificate of their authority, with one of the names', async () => {
    const gateways = createAuthority('Gateways')
    const { askHttp, askGrpc, lines } = await startTlsStage(gateways.cert, ['edge.example'])
    const edge = gateways.issue({ names: ['edge.example'] })
    const other = gateways.issue({ names: ['batch.example'] })
    const stranger = createAuthority('Gateways').issue({ names: ['edge.example'] })
    const late = gateways.issue({ names: ['edge.example'], until: inHours(-0.5) })
    const answers: unknown[] = []
    for (const sent of [edge, {}, other, stranger, late]) answers.push([await askHttp(sent), await askGrpc(sent)])
    expect({ answers, events: new Set(lines.map((line) => JSON.parse(line).event)) }).toEqual({
      answers: [[200, serving], ...Array(4).fill(['no answer', 'no answer'])],
      events: new Set(['tls']),
    })
  }, 60_000)

  test('ends the open connections of gateways when their authority changes, and resumes none of their sessions', async () => {
    const [earlier, later] = [createAuthority('Earlier'), createAuthority('Later')]
    const { directory, files, port } = await startTlsStage(earlier.cert)
    const { cert, key } = earlier.issue({ names: ['edge.example'] })
    const given = { port, host: '127.0.0.1', ca: authority.cert, cert, key, maxVersion: 'TLSv1.2' } as const
    const socket = connectTls(given)
    onTestFinished(() => void socket.destroy())
    await once(socket, 'secureConnect')
    socket.write('GET / HTTP/1.1\r\nhost: verifier\r\n\r\n') // from now on it may be idle
    await once(socket, 'data')
    const session = socket.getSession()
    const resumed = connectTls({ ...given, session })
    await once(resumed, 'secureConnect')
    const isResumed = resumed.isSessionReused()
    resumed.destroy()
    await writeFile(join(directory, 'ca.pem'), later.cert)
    await files.look()
    await once(socket.resume(), 'close')
    const again = connectTls({ ...given, session })
    const outcome = await new Promise((resolve) => {
      again.on('error', () => resolve('refused'))
      again.on('secureConnect', () => resolve(again.isSessionReused()))
    })
    expect([isResumed, outcome]).toEqual([true, 'refused'])
  }, 30_000) // before an idle connection ends by itself
})
