import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { listenOn } from '../../../src/verify/server/listen-on.ts'
import { openBoundedLog } from '../../../src/verify/server/log.ts'
import { openNotifier, requirePassedSocket } from '../../../src/verify/server/systemd.ts'

const processId = 7
const passing = (names: string, env = {}) => ({
  env: { LISTEN_PID: '7', LISTEN_FDS: String(names.split(':').length), LISTEN_FDNAMES: names, ...env },
  processId,
})
const resolve = (name: string | undefined, manager: Parameters<typeof requirePassedSocket>[2]) => {
  try {
    return requirePassedSocket({ kind: 'passed', ...(name !== undefined && { name }) }, '--listen', manager)
  } catch (failure) {
    return failure
  }
}

const none = new HelperError(
  'not-configured',
  '--listen: systemd has passed no socket to this process',
  'start the socket unit, not the service alone, or name HOST:PORT or a path with --listen',
)
const not = (what: string) =>
  new HelperError(
    'not-configured',
    `--listen: systemd has passed ${what}`,
    'name one of them with --listen systemd:NAME; FileDescriptorName= of the socket unit sets the name',
  )

test.each([
  ['the only one', undefined, passing('a.socket'), { kind: 'descriptor', fd: 3, name: 'a.socket' }],
  ['one of its name', 'b', passing('a:b'), { kind: 'descriptor', fd: 4, name: 'b' }],
  [
    'one without names',
    undefined,
    passing('', { LISTEN_FDNAMES: undefined }),
    { kind: 'descriptor', fd: 3, name: 'unknown' },
  ],
  ['several', undefined, passing('a:b'), not('several sockets, of those named a, b')],
  ['several of one name', 'a', passing('a:a'), not('several sockets, of those named a')],
  ['another name', 'c', passing('a:b'), not('no socket of this name, of those named a, b')],
  ['nothing', undefined, { env: {}, processId }, none],
  ['what the parent was passed', undefined, passing('a', { LISTEN_PID: '6' }), none],
  ['a malformed number', undefined, passing('a', { LISTEN_FDS: 'x' }), none],
  ['a number in another form', undefined, passing('a', { LISTEN_FDS: '0x1' }), none],
  ['a number that no unit has', undefined, passing('a', { LISTEN_FDS: '9007199254740991' }), none],
])('a socket that systemd passes is found by its name: %s', (_, name, manager, expected) => {
  expect(resolve(name, manager)).toEqual(expected)
})

test('an address that systemd does not pass stays as it is', () => {
  const address = { kind: 'socket', path: '/run/s' } as const
  expect(requirePassedSocket(address, '--listen', { env: {}, processId })).toBe(address)
})

test('a descriptor that is not a socket is refused', async () => {
  const address = { kind: 'descriptor', fd: 9_999, name: 'a.socket' } as const
  await expect(listenOn(createServer(), { address, socketMode: 0, option: '--listen' })).rejects.toEqual(
    new HelperError(
      'refused',
      'systemd:a.socket cannot be used (EINVAL)',
      'let a socket unit pass a socket that listens: ListenStream=, without Accept=yes',
    ),
  )
})

const listenToLog = () => {
  const lines: string[] = []
  return { lines, log: openBoundedLog({ format: 'text', now: () => 0, write: (line) => lines.push(line) }) }
}

test('nothing is sent without a service manager', async () => {
  const { lines, log } = listenToLog()
  const notifier = await openNotifier({ env: {}, processId }, log)
  notifier.ready('answers')
  notifier.stopping()
  expect(lines).toEqual([])
})

test('a missing service manager costs one warning', async () => {
  const { lines, log } = listenToLog()
  const notifier = await openNotifier({ env: { NOTIFY_SOCKET: '/nowhere/notify' }, processId }, log)
  notifier.ready('answers')
  notifier.stopping()
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z warning notify: the service manager cannot be told "READY=1" at /nowhere/notify\n',
  ])
})
