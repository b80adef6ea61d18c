import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startPersonDesk } from './person-desk.ts'

test('a fixed port that another program has, in one address family, ends the sign-in before a browser opens', async () => {
  const desk = await startPersonDesk()
  await using other = createServer().listen(0, '::1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo // a TCP server, which listens
  expect(await desk.start('--redirect-port', String(port), '--redirect-host', 'localhost')).toEqual({
    status: 5,
    stdout: '',
    stderr: [
      `oidc-token: port ${port} of this machine, to which the browser comes back, is used by another program\n`,
      'oidc-token: hint: end that program, or wait for another sign-in that uses the port, and start again; ',
      'or tell your administrator: register another redirect port with the provider, and set it in redirect-port\n',
    ].join(''),
  })
  expect(await desk.countOpened()).toBe(0)
})
