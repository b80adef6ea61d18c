import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { HelperError, toHelperError } from '../../../src/runtime/failure.ts'
import { createNetworkFetch, type Fetch } from '../../../src/runtime/network/network-fetch.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'
import { createStreamFetch } from '../../../src/runtime/network/stream-fetch.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})
const settings = { network, scope: 'any-host', signal: new AbortController().signal, report: () => {} } as const

/** Both ways to fetch. */
const fetches: [name: string, fetch: Fetch][] = [
  ['read whole', createNetworkFetch(settings)],
  ['streamed', createStreamFetch({ network, silenceSec: 10 })],
]

/** Starts a server that answers every connection with this text; its address. */
async function startRawServer(text: string): Promise<string> {
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end(text)))
  return `127.0.0.1:${await listenDuringTest(server)}`
}

test.each(fetches)('a request that cannot be made is a defect, %s', async (_, fetch) => {
  const error = await fetch('http://127.0.0.1:1/', { headers: { 'x-team': 'a\nb' } }).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(TypeError)
  expect(toHelperError(error)).toEqual(
    new HelperError(
      'bug',
      'this program has a defect (TypeError)',
      'report it to whoever gave you the program, with the output of --version and what you did',
    ),
  )
})

test.each(fetches)('a host where nobody listens cannot be reached, %s', async (_, fetch) => {
  await expect(fetch('http://127.0.0.1:1/', {})).rejects.toEqual(
    new HelperError('unavailable', '127.0.0.1:1 cannot be reached (ECONNREFUSED)', 'check what runs at 127.0.0.1:1'),
  )
})

test.each(fetches)('an answer that is not HTTP is a failure of the host, %s', async (_, fetch) => {
  const host = await startRawServer('SSH-2.0-OpenSSH_9.9\r\n')
  await expect(fetch(`http://${host}/`, {})).rejects.toEqual(
    new HelperError('unavailable', `${host} cannot be reached (HPE_INVALID_CONSTANT)`, `check what runs at ${host}`),
  )
})

test.each(fetches)('a status that HTTP does not define is a failure of the host, %s', async (_, fetch) => {
  const host = await startRawServer('HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n')
  await expect(fetch(`http://${host}/`, {})).rejects.toEqual(
    new HelperError(
      'unavailable',
      `${host} answered with a status that HTTP does not define (999)`,
      `find out what answers in place of ${host}`,
    ),
  )
})
