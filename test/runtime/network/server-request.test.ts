import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { formType, readRequestBody } from '../../../src/runtime/network/server-request.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'

/** Starts a server that reads forms of at most 8 bytes, and answers with what it has read. */
async function startFormServer() {
  const failures: unknown[] = []
  const server = createServer(async (request, response) => {
    try {
      response.end(JSON.stringify(await readRequestBody(request, formType, 8)))
    } catch (error) {
      failures.push((error as NodeJS.ErrnoException).code)
    }
  })
  const port = await listenDuringTest(server)
  const send = async (type: string | undefined, body: string): Promise<unknown> => {
    const headers = type === undefined ? {} : { 'content-type': type }
    const request = { method: 'POST', headers, body: Buffer.from(body) }
    return (await fetch(`http://127.0.0.1:${port}`, request)).json()
  }
  return { port, send, failures }
}

test('a body is read to its end if it has the type, in whatever case and with whatever parameters', async () => {
  const { send } = await startFormServer()
  expect(await send('Application/X-WWW-Form-Urlencoded ; charset=UTF-8', 'a=%C3%A9')).toEqual({ text: 'a=%C3%A9' })
})

test.each([
  ['another type', 'application/json', 'a=1', 'type'],
  ['no type', undefined, 'a=1', 'type'],
  ['a byte too many', formType, 'a=1234567', 'length'],
  ['a mebibyte', formType, 'a'.repeat(1024 * 1024), 'length'],
])('a body with %s gets an answer that names the fault', async (_, type, body, problem) => {
  const { send } = await startFormServer()
  expect(await send(type, body)).toEqual({ problem })
})

test('a body that breaks off is a failure', async () => {
  const { port, failures } = await startFormServer()
  const socket = connect(port, '127.0.0.1')
  const text = `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${formType}\r\ncontent-length: 8\r\n\r\na=1`
  socket.end(text)
  await expect.poll(() => failures).toEqual(['ECONNRESET'])
})
