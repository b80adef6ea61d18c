import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { readListenerSettings } from '../../../src/cli/gateway/verifier/server-settings.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { createBoundedServer } from '../../../src/verify/server/bounded-server.ts'
import {
  isLocalAddress,
  type ListenAddress,
  parseListenAddress,
  renderListenAddress,
} from '../../../src/verify/server/listen-address.ts'
import { listenOn } from '../../../src/verify/server/listen-on.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

test.each([
  ['127.0.0.1:8790', { kind: 'tcp', host: '127.0.0.1', port: 8790 }, 'http://127.0.0.1:8790', true],
  ['localhost:0', { kind: 'tcp', host: 'localhost', port: 0 }, 'http://localhost:0', true],
  ['[::1]:8790', { kind: 'tcp', host: '::1', port: 8790 }, 'http://[::1]:8790', true],
  ['0.0.0.0:80', { kind: 'tcp', host: '0.0.0.0', port: 80 }, 'http://0.0.0.0:80', false],
  ['[::]:80', { kind: 'tcp', host: '::', port: 80 }, 'http://[::]:80', false],
  ['*:8790', { kind: 'tcp', host: '*', port: 8790 }, 'http://*:8790', false],
  ['/run/a b.sock', { kind: 'socket', path: '/run/a b.sock' }, 'unix:/run/a b.sock', true],
  ['unix:v.sock', { kind: 'socket', path: 'v.sock' }, 'unix:v.sock', true],
  ['./v.sock:1', { kind: 'socket', path: './v.sock:1' }, 'unix:./v.sock:1', true],
])('reads the address %s', (text, address, rendered, isLocal) => {
  const parsed = parseListenAddress(text) as ListenAddress // none of these is passed by systemd
  expect(parsed).toEqual(address)
  expect([renderListenAddress(parsed), isLocalAddress(parsed)]).toEqual([rendered, isLocal])
})

test.each([
  ['systemd', { kind: 'passed' }],
  ['systemd:gateway.socket', { kind: 'passed', name: 'gateway.socket' }],
])('%s is a socket that systemd passes', (text, address) => {
  const parsed = parseListenAddress(text)
  expect([parsed, isLocalAddress(parsed!)]).toEqual([address, false])
})

test.each(['8790', ':8790', '*', '**:1', 'a:', 'a:65536', '::1:80', 'a b:1', 'systemd:', 'systemd:a b', ''])(
  '%o is not an address',
  (text) => {
    expect(parseListenAddress(text)).toBe(undefined)
  },
)

test('* listens at every address of IPv6 and IPv4', async () => {
  const server = createServer((_, response) => response.end('here'))
  onTestFinished(() => void server.close())
  const address = { kind: 'tcp', host: '*', port: 0 } as const
  const listening = await listenOn(server, { address, socketMode: 0o600, option: '--listen' })
  const port = 'port' in listening && listening.port
  const ask = (host: string) => fetch(`http://${host}:${port}`).then((answer) => answer.text())
  const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'))
  expect(await Promise.all([ask('127.0.0.1'), hasIpv6 ? ask('[::1]') : 'here'])).toEqual(['here', 'here'])
  expect({ ...listening, port: 0 }).toEqual(address)
})

describe('a Unix socket', () => {
  const listen = async (path: string) => {
    const server = createServer((_, response) => response.end('here'))
    onTestFinished(() => void server.close())
    const settings = { address: { kind: 'socket', path }, socketMode: 0o600, option: '--listen' } as const
    return listenOn(server, settings).then(
      () => 'listens',
      ({ message, hint }) => [message, hint],
    )
  }
  const ask = (socketPath: string) =>
    new Promise((resolve) => {
      request({ socketPath, path: '/' }, (response) => resolve(response.statusCode)).end()
    })

  test('is open to whom its mode says', async () => {
    const path = join(await temporaryDirectory(), 'a socket')
    expect(await listen(path)).toBe('listens')
    expect([(await stat(path)).mode & 0o777, await ask(path)]).toEqual([0o600, 200])
  })

  test('is not taken from a process that listens there', async () => {
    const path = join(await temporaryDirectory(), 's')
    await listen(path)
    expect({ outcome: await listen(path), answer: await ask(path) }).toEqual({
      outcome: [
        `unix:${path} cannot be used (EADDRINUSE)`,
        'end what listens there, or name another address with --listen',
      ],
      answer: 200,
    })
  })

  test('does not replace another file', async () => {
    const path = join(await temporaryDirectory(), 's')
    await writeFile(path, 'mine')
    expect(await listen(path)).toEqual([`${path} exists and is not a socket`, 'name another path with --listen'])
  })

  test('needs a directory', async () => {
    const path = join(await temporaryDirectory(), 'none/s')
    expect(await listen(path)).toEqual([
      `unix:${path} cannot be used (${process.platform === 'linux' ? 'EACCES' : 'ENOENT'})`,
      'create the directory of the socket, where this user may write, or name another path with --listen',
    ])
  })

  test('needs a path that the system takes', async () => {
    const path = join(await temporaryDirectory(), 'a'.repeat(200))
    expect(await listen(path)).toEqual([
      `unix:${path} cannot be used (EINVAL)`,
      'name a shorter path with --listen: the system takes about 100 bytes',
    ])
  })

  test.runIf(process.getuid?.() === 0)('has the group that is asked for, beside its mode', async () => {
    const path = join(await temporaryDirectory(), 's')
    const server = createBoundedServer((_request, response) => response.end())
    onTestFinished(() => void server.close())
    const address = { kind: 'socket', path } as const
    await listenOn(server, { address, socketMode: 0o660, socketGroup: 12_345, option: '--listen' })
    const { gid, mode } = await stat(path)
    expect([gid, mode & 0o777]).toEqual([12_345, 0o660])
  })

  test('has a group by its name or number', async () => {
    const read = async (socketGroup: string) => {
      const flags = { listen: { kind: 'socket', path: '/s' }, socketGroup }
      return (await readListenerSettings(flags as Parameters<typeof readListenerSettings>[0], {})).socketGroup
    }
    const [name = '', , id] = (await readFile('/etc/group', 'utf8')).trimEnd().split('\n').at(-1)!.split(':')
    expect([await read(name), await read('7')]).toEqual([Number(id), 7])
    await expect(read('no such group')).rejects.toEqual(
      new HelperError(
        'usage',
        '/etc/group has no group "no such group"',
        'correct --socket-group, or give the number of the group, such as from: getent group',
      ),
    )
  })
})
