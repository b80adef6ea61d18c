import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAdminListener } from '../../../src/verify/server/admin-listener.ts'
import { fails } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { runHere } from '../run-here.ts'
import { startServer } from '../start-server.ts'

const ask = (...address: string[]) => runHere(['gateway', 'health', ...address])

test('a ready server is reported at an address and at a socket', async () => {
  const answer = (url = '') => (url === '/readyz' ? 'ready\n' : 'another path\n')
  const url = await startServer(({ url: path }, response) => void response.end(answer(path)))
  const socket = join(await temporaryDirectory(), 's')
  const server = createServer(({ url: path }, response) => void response.end(answer(path)))
  await new Promise<void>((listening) => server.listen(socket, listening))
  onTestFinished(() => void server.close())
  const ready = { status: 0, stdout: 'ready\n', stderr: '' }
  expect([await ask(url.replace('http://', '')), await ask(socket)]).toEqual([ready, ready])
})

test('a server that is not ready, or missing, ends with status 6', async () => {
  const url = await startServer((_, response) => void response.writeHead(503).end('the server is ending\n'))
  expect(await ask(url.replace('http://', ''))).toEqual({
    status: 6,
    stdout: '',
    stderr: `gatepass: ${url} is not ready (503): the server is ending\ngatepass: hint: read the log of the server; systemd shows that with: journalctl --unit NAME\n`,
  })
  expect(await ask('127.0.0.1:1')).toEqual({
    status: 6,
    stdout: '',
    stderr:
      'gatepass: nobody answers at http://127.0.0.1:1 (ECONNREFUSED)\ngatepass: hint: start the server, or give the address of its --admin-listen: gatepass gateway health HOST:PORT\n',
  })
})

test.each(['0.0.0.0', '*'])('a server that listens at %s can be asked by that address', async (given) => {
  const admin = createAdminListener({
    metrics: { render: async () => '', contentType: 'text/plain' },
    readiness: () => ({ isDraining: false, missing: [] }),
  })
  const url = await startServer(admin)
  expect(await ask(url.replace('http://127.0.0.1', given))).toEqual({ status: 0, stdout: 'ready\n', stderr: '' })
})

test('another server that answers 200 to everything is not taken for a ready one', async () => {
  const url = await startServer((_, response) => void response.end('<h1>Welcome to nginx!</h1>\n'))
  expect(await ask(url.replace('http://', ''))).toEqual({
    status: 6,
    stdout: '',
    stderr: `gatepass: another server answers at ${url}, which does not say that it is ready\ngatepass: hint: give the address of its --admin-listen: gatepass gateway health HOST:PORT\n`,
  })
})

test('a socket that systemd passes cannot be asked', async () => {
  expect(await ask('systemd')).toEqual(
    fails('gatepass', 2, 'only a server can get its socket from systemd', 'name HOST:PORT or a path'),
  )
})
