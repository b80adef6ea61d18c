import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Deadline } from '../../../src/runtime/deadline.ts'
import { fetchInTime } from '../../../src/runtime/network/fetch-in-time.ts'
import { toNetworkSettings } from '../../../src/runtime/network/settings.ts'

const network = toNetworkSettings({ proxy: undefined, noProxy: undefined, ca: undefined }, {})

/** A request that is answered long after the shorter wait of a call that can do without it. */
async function fetchSlowly(request: { readonly isValidOnce: boolean }) {
  const server = createServer(async (_, response) => {
    await sleep(1_000)
    response.end('answer')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, 'listening')
  const begin = performance.now()
  const whole = new Deadline({ seconds: 60, hint: 'wait' }, { elapsedMs: () => performance.now() - begin })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a server that listens on a port has one
  const call = { deadline: whole.shorten(0.1), network }
  return fetchInTime(call, { name: 'the service', url, ...request }, { method: 'POST' }).then(
    (response) => response.text(),
    ({ kind }) => kind,
  )
}

test('a request that is valid once is waited for to the end of the whole call', async () => {
  expect(await fetchSlowly({ isValidOnce: true })).toBe('answer')
  expect(await fetchSlowly({ isValidOnce: false })).toBe('late')
})
