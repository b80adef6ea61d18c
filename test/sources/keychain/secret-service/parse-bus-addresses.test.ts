import { expect, test } from 'vitest'
import { parseBusAddresses } from '../../../../src/sources/keychain/secret-service/open-bus.ts'

const runtime = '/run/user/1000'

test.each([
  ['a path', 'unix:path=/run/user/1000/bus', [{ path: '/run/user/1000/bus' }]],
  ['its id', 'unix:path=/tmp/bus,guid=0123', [{ path: '/tmp/bus', guid: '0123' }]],
  ['an abstract socket', 'unix:abstract=/tmp/dbus-a,guid=0123', [{ path: '\0/tmp/dbus-a', guid: '0123' }]],
  ['the directory of the session', 'unix:runtime=yes', [{ path: '/run/user/1000/bus' }]],
  ['bytes that are escaped', 'unix:path=/tmp/a%20b%2cc', [{ path: '/tmp/a b,c' }]],
  ['an escape that is none', 'unix:path=/tmp/100%', [{ path: '/tmp/100%' }]],
  [
    'several, of which some are of other kinds',
    'tcp:host=a;unix:path=/a;autolaunch:;unix:path=/b',
    [{ path: '/a' }, { path: '/b' }],
  ],
  ['no address', 'nonsense', []],
  ['nothing', undefined, [{ path: '/run/user/1000/bus' }]],
])('reads %s', (_, address, expected) => {
  expect(parseBusAddresses({ DBUS_SESSION_BUS_ADDRESS: address, XDG_RUNTIME_DIR: runtime })).toEqual(expected)
})

test('a runtime directory that is relative is not used', () => {
  expect(parseBusAddresses({ XDG_RUNTIME_DIR: 'run' })).toEqual([])
})
