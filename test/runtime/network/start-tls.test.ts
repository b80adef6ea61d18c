import { once } from 'node:events'
import { type AddressInfo, createServer, connect as startTcp } from 'node:net'
import { text } from 'node:stream/consumers'
import { createSecureContext, createServer as createTlsServer } from 'node:tls'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { startTls } from '../../../src/runtime/network/start-tls.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import { type Authority, createAuthority, inHours, type Subject } from '../../stand-ins/tls/certificate.ts'

let authority: Authority
let unnamed: Authority
beforeAll(() => {
  authority = createAuthority('Example Corp Root CA')
  unnamed = createAuthority('')
})

const name = 'sts.gatepass.invalid'
const inPast = inHours(-2)
const inFuture = inHours(2)

/** Starts TLS with a server that presents this certificate; how that ended, without the server's port. */
async function shakeHands(subject: Partial<Subject>, host = name, issuer = authority) {
  const server = createTlsServer(issuer.issue({ names: [name, '127.0.0.1'], ...subject }), (socket) =>
    socket.end(String(socket.servername)),
  )
  server.on('tlsClientError', () => {})
  const socket = startTcp(await listenDuringTest(server), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  const trust = createSecureContext({ ca: authority.cert })
  return startTls(socket, { host, port: 443, name: `${host}:443` }, trust).then(
    async (secure) => ({ authorized: secure.authorized, namedAs: await text(secure) }),
    ({ kind, message, hint }) => ({ kind, message, hint }),
  )
}

const refused = (message: string, hint: string) => ({
  kind: 'unavailable',
  message: `${name}:443 presents a certificate ${message}`,
  hint,
})
const addAuthority =
  "if that is your organization's certificate authority, name the file with its certificate in the option ca (GATEPASS_CA, or the machine's file), AWS_CA_BUNDLE or NODE_EXTRA_CA_CERTS"

// A server name is a name and no address (RFC 6066, section 3).
test.each([
  [name, name],
  ['127.0.0.1', 'false'],
])('a certificate for %s is accepted, and the server is named as %s', async (host, namedAs) => {
  expect(await shakeHands({}, host)).toEqual({ authorized: true, namedAs })
})

test('a certificate for another name is refused with its names', async () => {
  expect(await shakeHands({ names: ['portal.example', 'other.example'] })).toEqual(
    refused(
      'for DNS:portal.example, DNS:other.example (ERR_TLS_CERT_ALTNAME_INVALID)',
      `find out what answers in place of ${name}:443, or correct the endpoint`,
    ),
  )
})

test('a certificate outside its time is refused with that time', async () => {
  const day = (date: Date) => new Date(Math.floor(date.getTime() / 1000) * 1000).toISOString()
  expect(await shakeHands({ from: inHours(-3), until: inPast })).toEqual(
    refused(`that expired at ${day(inPast)} (CERT_HAS_EXPIRED)`, 'have it renewed; or set the clock of this machine'),
  )
  expect(await shakeHands({ from: inFuture })).toEqual(
    refused(`that is not valid before ${day(inFuture)} (CERT_NOT_YET_VALID)`, 'set the clock of this machine'),
  )
})

test('a certificate of an unknown authority is refused with the name of that authority', async () => {
  const stranger = createAuthority('Stranger')
  const code = '(UNABLE_TO_VERIFY_LEAF_SIGNATURE)'
  expect(await shakeHands({}, name, stranger)).toEqual(
    refused(`issued by "Stranger", which this machine does not trust ${code}`, addAuthority),
  )
  expect(await shakeHands({}, name, unnamed)).toEqual(
    refused(`issued by an authority without a name, which this machine does not trust ${code}`, addAuthority),
  )
})

test('an error that is not about the certificate stays the error of the system', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const socket = startTcp((server.address() as AddressInfo).port, '127.0.0.1') // a TCP server, which listens
  await once(socket, 'connect')
  const error = await startTls(socket, { host: name, port: 443, name }, createSecureContext()).catch((e: unknown) => e)
  expect([error instanceof HelperError, Object(error).code]).toEqual([false, 'ERR_SSL_WRONG_VERSION_NUMBER'])
})
