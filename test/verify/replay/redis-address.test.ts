import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { parseRedisAddress } from '../../../src/verify/replay/redis-address.ts'

test.each([
  ['redis://localhost', { transport: 'tcp', host: 'localhost', port: 6379 }, undefined, 0, 'localhost:6379'],
  [
    'valkey://cache.example:7000/3',
    { transport: 'tcp', host: 'cache.example', port: 7000 },
    undefined,
    3,
    'cache.example:7000',
  ],
  [
    'rediss://gate%40pass@r.example',
    { transport: 'tls', host: 'r.example', port: 6379 },
    'gate@pass',
    0,
    'r.example:6379',
  ],
  ['valkeys://r.example/', { transport: 'tls', host: 'r.example', port: 6379 }, undefined, 0, 'r.example:6379'],
  ['redis://[::1]:7000', { transport: 'tcp', host: '::1', port: 7000 }, undefined, 0, '[::1]:7000'],
  ['unix:///run/a%20b.sock', { transport: 'unix', path: '/run/a b.sock' }, undefined, 0, '/run/a b.sock'],
  ['unix:///run/r.sock?db=2&user=gp', { transport: 'unix', path: '/run/r.sock' }, 'gp', 2, '/run/r.sock'],
])('reads the address %s', (text, place, user, database, name) => {
  expect(parseRedisAddress(text)).toEqual({ place, user, database, name })
})

const forms =
  'write redis://HOST:6379, rediss://HOST:6379 for TLS, or unix:///PATH/OF/SOCKET; a database as /2 or ?db=2'
const secret = [
  'the address of Redis holds a password, which every user of this machine could read among the arguments',
  'take it out, write it into a file that only the verifier reads and name that with --redis-password-file; or set GATEPASS_REDIS_PASSWORD',
] as const

test.each([
  ['localhost:6379', 'the address of Redis has a form that is not supported', forms],
  ['http://localhost:6379', 'the address of Redis has a form that is not supported', forms],
  ['redis-sentinel://a,b/main', 'the address of Redis has a form that is not supported', forms],
  ['', 'the address of Redis has a form that is not supported', forms],
  ['redis://:hunter2@localhost', ...secret],
  ['rediss://user:hunter2@localhost/1', ...secret],
  ['unix:///run/r.sock?password=hunter2', ...secret],
  ['redis:///1', 'the address of Redis names no host', forms],
  ['redis://localhost/one', 'the database in the address of Redis is not a number', forms],
  ['redis://localhost?db=1', 'the address of Redis holds a parameter that is not known here', forms],
  ['unix:///run/r.sock?database=1', 'the address of Redis holds a parameter that is not known here', forms],
  ['unix:///run/r.sock?db=-1', 'the database in the address of Redis is not a number', forms],
  ['unix://run/r.sock', 'the address of Redis names no path of a socket', forms],
  ['unix:///', 'the address of Redis names no path of a socket', forms],
  ['redis://localhost#1', 'the address of Redis ends with a # and more', forms],
  [
    'redis://%zz@localhost',
    'the address of Redis holds a % that does not begin an escape',
    'write %25 for a percent sign',
  ],
])('refuses %s', (text, message, hint) => {
  expect(() => parseRedisAddress(text)).toThrow(new HelperError('usage', message, hint))
})
