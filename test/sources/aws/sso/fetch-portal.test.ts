import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { expect, onTestFinished, test, vi } from 'vitest'
import { HelperError } from '../../../../src/runtime/failure.ts'
import { toNetworkSettings } from '../../../../src/runtime/network/settings.ts'
import { fetchPortal, isPortalHost } from '../../../../src/sources/aws/sso/fetch-portal.ts'
import { useFakeTimers } from '../../../setup/fake-timers.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'
import { createAuthority } from '../../../stand-ins/tls/certificate.ts'
import { startSsoBench } from './sso-bench.ts'

const own = { startUrl: 'https://sso.corp.example/start', region: 'us-east-1' }
const hint = 'correct sso_start_url in /config: IAM Identity Center shows it as the AWS access portal URL'

const authority = createAuthority('Example Corp Root CA')
const certificate = authority.issue({ names: ['127.0.0.1'] })

/** Starts an address of the organization, and asks for the portal behind it; in a failure it is called as in `own`. */
async function ask(server: Server): Promise<unknown> {
  const path = join(await temporaryDirectory(), 'corp.pem')
  await writeFile(path, authority.cert)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  await using bench = await startSsoBench()
  const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: { path, origin: 'option' } }, {})
  const address = { ...own, startUrl: `https://127.0.0.1:${port}/start` }
  return fetchPortal(address, '/config', { ...bench.parts.call, network }).catch(({ kind, message, hint }) => {
    const [words, way] = [message, hint].map((text) => text.replaceAll(`127.0.0.1:${port}`, 'sso.corp.example'))
    return new HelperError(kind, words, way)
  })
}

function answer(status: number, location: string | null): Promise<unknown> {
  const server = createHttpsServer(certificate, (_, response) => {
    response.writeHead(status, location === null ? {} : { location }).end()
  })
  return ask(server)
}

test.each([
  [
    302,
    'https://ssoins-1.portal.eu-west-1.app.aws/start/?x=1#y',
    { url: 'https://ssoins-1.portal.eu-west-1.app.aws/start', region: 'eu-west-1' },
  ],
  [301, 'https://corp.awsapps.com/start', { url: 'https://corp.awsapps.com/start', region: 'us-east-1' }],
])('an address of the organization that answers %s, %s leads to a portal of AWS', async (status, location, portal) => {
  expect(await answer(status, location)).toEqual(portal)
})

test.each([
  ['corp.awsapps.com', own.region],
  ['d-1234567890.awsapps.cn', own.region],
  ['ssoins-1.portal.eu-west-1.app.aws', 'eu-west-1'],
  ['ssoins-1.us-east-2.portal.amazonaws.com.', 'us-east-2'],
  ['ssoins-1.cn-north-1.portal.amazonaws.com.cn', 'cn-north-1'],
  ['ssoins-1.portal.cn-north-1.app.amazonwebservices.com.cn', 'cn-north-1'],
  ['SSOINS-1.eusc-de-east-1.portal.amazonaws.eu', 'eusc-de-east-1'],
  ['ssoins-1.portal.eusc-de-east-1.api.amazonwebservices.eu', 'eusc-de-east-1'],
  ['identitycenter.amazonaws.com', own.region],
])('%s is a portal of AWS with the region %s', async (host, region) => {
  const url = `https://${host}/start`
  expect(await answer(302, url)).toEqual({ url: url.toLowerCase(), region })
})

test.each(['sso.corp.example', 'notawsapps.com', 'awsapps.com.evil.example', 'amazonaws.com'])(
  '%s is no portal of AWS',
  (host) => expect(isPortalHost(host)).toBe(false),
)

const describeElsewhere = (origin: string) => `leads to ${origin}, which is not an access portal of AWS`
test.each([
  [200, null, 'does not lead to AWS (HTTP 200)'],
  [302, null, 'does not lead to AWS (HTTP 302)'],
  [307, '/login', describeElsewhere('https://sso.corp.example')],
  [302, 'http://corp.awsapps.com/start', describeElsewhere('http://corp.awsapps.com')],
  [302, 'https://evil.example/', describeElsewhere('https://evil.example')],
])('an address of the organization that answers %s, %s is refused', async (status, location, problem) => {
  expect(await answer(status, location)).toEqual(
    new HelperError('not-configured', `the start URL ${own.startUrl} ${problem}`, hint),
  )
})

test('no request goes to an address of AWS, and an address without https is refused', async () => {
  await using bench = await startSsoBench()
  const { call } = bench.parts
  const portal = { startUrl: 'https://corp.awsapps.com/start', region: 'eu-west-3' }
  expect(await fetchPortal(portal, '/config', call)).toEqual({ url: portal.startUrl, region: 'eu-west-3' })
  await expect(fetchPortal({ ...own, startUrl: bench.aws.url }, '/config', call)).rejects.toEqual(
    new HelperError(
      'not-configured',
      `the start URL ${bench.aws.url} is not an https address`,
      'correct sso_start_url in /config: IAM Identity Center shows it as the AWS access portal URL',
    ),
  )
})

test('an address of the organization that takes the request and is silent is given up after ten seconds', async () => {
  const server = createServer(certificate, (socket) => {
    socket.on('error', () => {}).once('data', () => setImmediate(() => vi.advanceTimersByTime(10_000)))
  })
  useFakeTimers()
  expect(await ask(server)).toEqual(
    new HelperError(
      'unavailable',
      'sso.corp.example cannot be reached (ETIMEDOUT)',
      'check what runs at sso.corp.example',
    ),
  )
})
