import type { Answer, Endpoint } from '../stand-ins/lying-provider/lies.ts'
import { late, lost, refused, type ToldLies, unavailable } from './told-lie.ts'

const answering = (endpoint: Endpoint, ...answers: (Answer | 'honest')[]) => ({
  lies: { answers: { [endpoint]: answers } },
})
const status = (code: number, headers: Record<string, string> = {}) => ({ status: code, headers, body: '' })
const atOnce = { 'retry-after': '0' }
const inAnHour = { 'retry-after': '3600' }
const minutes = 60

/** Each endpoint slow, broken or busy, and clocks that differ. */
export const networkLies = {
  'discovery: HTTP 500': {
    ...answering('discovery', status(500)),
    says: unavailable('PROVIDER is busy or broken (HTTP 500)', 'try again in a moment'),
    asked: 'discovery discovery discovery',
  },
  'discovery: HTTP 500 once': {
    ...answering('discovery', status(500), 'honest'),
    asked: 'discovery discovery authorize keys token',
  },
  'discovery: HTTP 429, in an hour': {
    ...answering('discovery', status(429, inAnHour)),
    says: unavailable('PROVIDER is busy or broken (HTTP 429)', 'try again in 60 minutes, for which the provider asks'),
    asked: 'discovery',
  },
  'discovery: the connection breaks': {
    ...answering('discovery', 'reset'),
    says: unavailable('PROVIDER cannot be reached (ECONNRESET)', 'check what runs at PROVIDER'),
    asked: 'discovery discovery discovery',
  },
  'discovery: silence': {
    ...answering('discovery', 'silence'),
    seconds: 3,
    says: late('PROVIDER (waiting for PROVIDER to answer) took longer than the 3 s of this call'),
    asked: 'discovery',
  },
  'discovery: a byte now and then': {
    ...answering('discovery', 'drip'),
    seconds: 3,
    says: late('PROVIDER (reading the answer of PROVIDER) took longer than the 3 s of this call'),
    asked: 'discovery',
  },
  'token: HTTP 500': {
    ...answering('token', status(500)),
    says: lost('PROVIDER is busy or broken (HTTP 500)'),
  },
  'token: HTTP 503, which says when': {
    ...answering('token', status(503, atOnce), 'honest'),
    says: lost('PROVIDER is busy or broken (HTTP 503)'),
  },
  'token: HTTP 429, at once': {
    ...answering('token', status(429, atOnce), 'honest'),
    says: lost('PROVIDER is busy or broken (HTTP 429)'),
  },
  'token: HTTP 429, in an hour': {
    ...answering('token', status(429, inAnHour)),
    says: lost('PROVIDER is busy or broken (HTTP 429)'),
  },
  'token: the connection breaks': {
    ...answering('token', 'reset', 'honest'),
    says: lost('PROVIDER cannot be reached (ECONNRESET)'),
  },
  'token: silence': {
    ...answering('token', 'silence'),
    seconds: 3,
    says: late('PROVIDER (waiting for PROVIDER to answer) took longer than the 3 s of this call'),
  },
  'token: a byte now and then': {
    ...answering('token', 'drip'),
    seconds: 3,
    says: late('PROVIDER (reading the answer of PROVIDER) took longer than the 3 s of this call'),
  },
  'keys: HTTP 503 once': { ...answering('keys', status(503), 'honest'), asked: 'discovery authorize keys keys token' },
  'keys: HTTP 503': {
    ...answering('keys', status(503)),
    says: lost('the list of keys of PROVIDER is busy or broken (HTTP 503)'),
    asked: 'discovery authorize keys keys keys',
  },
  'keys: the connection breaks': {
    ...answering('keys', 'reset'),
    says: lost('PROVIDER cannot be reached (ECONNRESET)'),
    asked: 'discovery authorize keys keys keys',
  },
  'keys: silence': {
    ...answering('keys', 'silence'),
    seconds: 3,
    says: late('the list of keys of PROVIDER (waiting for PROVIDER to answer) took longer than the 3 s of this call'),
    asked: 'discovery authorize keys',
  },
  'PAR: HTTP 503': {
    lies: {
      members: { discovery: { require_pushed_authorization_requests: true } },
      answers: { push: status(503) },
    },
    says: unavailable('PROVIDER is busy or broken (HTTP 503)', 'try again in a moment'),
    asked: 'discovery push push push',
  },
  'device: HTTP 500': {
    ...answering('device', status(500)),
    way: 'device',
    says: unavailable('PROVIDER is busy or broken (HTTP 500)', 'try again in a moment'),
    asked: 'discovery keys device device device',
  },
  'device: HTTP 429, in an hour': {
    ...answering('device', status(429, inAnHour)),
    way: 'device',
    says: unavailable('PROVIDER is busy or broken (HTTP 429)', 'try again in 60 minutes, for which the provider asks'),
    asked: 'discovery keys device',
  },
  'poll: HTTP 503 once': {
    ...answering('poll', status(503), 'honest'),
    way: 'device',
    asked: 'discovery keys device poll poll',
  },
  'poll: the connection breaks once': {
    ...answering('poll', 'reset', 'honest'),
    way: 'device',
    asked: 'discovery keys device poll poll',
  },
  'clock: ten minutes ahead': { lies: { clock: { aheadSec: 10 * minutes, date: 'sent' } } },
  'clock: two hours behind': { lies: { clock: { aheadSec: -120 * minutes, date: 'sent' } } },
  'clock: ten minutes ahead, and nothing says so': { lies: { clock: { aheadSec: 10 * minutes, date: 'absent' } } },
  'clock: two hours behind, and nothing says so': {
    lies: { clock: { aheadSec: -120 * minutes, date: 'absent' } },
    says: refused(
      'the ID token of PROVIDER is not valid at this time by the clock of this machine (exp)',
      'set the clock of this machine if it is wrong; otherwise report this to whoever runs PROVIDER',
    ),
  },
  'clock: the token of two hours ago, by a clock that is right': {
    lies: { idToken: { claims: { exp: Math.floor(Date.now() / 1000) - 60 * minutes } } },
    says: refused("the ID token of PROVIDER is not valid at this time by the provider's own clock (exp)"),
  },
} satisfies ToldLies
