import { expect, test, vi } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { readBounded } from '../../../src/runtime/network/bounded-body.ts'
import { useFakeTimers } from '../../setup/fake-timers.ts'

const bound = { bytes: 2048, sec: 30, hint: 'ask for less' }

/** Creates a response that sends a kibibyte whenever it is read, or once and nothing any more; and whether its connection is open. */
function createEndless(pace: 'at once' | 'once') {
  const connection = { isOpen: true }
  let sent = 0
  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    if (pace === 'once' && sent === 1) await new Promise(() => {})
    sent += 1
    controller.enqueue(new Uint8Array(1024))
  }
  const cancel = () => {
    connection.isOpen = false
  }
  const headers = { 'content-type': 'application/json' }
  const body = new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
  return { connection, response: new Response(body, { headers }) }
}

test.each([
  ['a response within the bound', new Response('x'.repeat(2048)), 'x'.repeat(2048)],
  ['a response without a body', new Response(null, { status: 204 }), ''],
])('%s is read whole', async (_, response, text) => {
  expect(String(await readBounded(response, 'id.example', bound))).toBe(text)
})

test('a response that never ends is given up after as many bytes, and says what was seen', async () => {
  const { response, connection } = createEndless('at once')
  await expect(readBounded(response, 'id.example', bound)).rejects.toEqual(
    new HelperError(
      'unavailable',
      'id.example answered HTTP 200 (application/json) with more than 2 KiB',
      'ask for less',
    ),
  )
  expect(connection.isOpen).toBe(false)
})

test('a response that does not go on is given up after the time, and its connection is closed', async () => {
  useFakeTimers()
  const { response, connection } = createEndless('once')
  const told = expect(readBounded(response, 'id.example', bound)).rejects.toEqual(
    new HelperError(
      'unavailable',
      'id.example answered HTTP 200 (application/json) and had not finished after 30 s: 1024 bytes so far',
      'ask for less',
    ),
  )
  await vi.advanceTimersByTimeAsync(30_000)
  await told
  expect(connection.isOpen).toBe(false)
})

test('a response that breaks off is an error of the system', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('ECONNRESET')) })
  await expect(readBounded(new Response(broken), 'id.example', bound)).rejects.toEqual(new Error('ECONNRESET'))
})
