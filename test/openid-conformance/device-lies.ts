import { again, intercepted, late, refused, type ToldLies, unavailable, unset } from './told-lie.ts'

const quick = { device: { interval: 1 } }

/** Lies about the device grant (RFC 8628). */
export const deviceLies = {
  'nothing is wrong': { lies: {}, way: 'device' },
  'not offered': {
    lies: { members: { discovery: { device_authorization_endpoint: undefined } } },
    way: 'device',
    says: unset(
      'PROVIDER offers no sign-in with a code, which --sign-in device asks for',
      'set sign-in to auto or browser, and sign in where a browser can open',
    ),
    asked: 'discovery',
  },
  'verification_uri: javascript': {
    lies: { members: { device: { verification_uri: 'javascript:alert(1)', verification_uri_complete: undefined } } },
    way: 'device',
    says: refused(
      'the provider gave an address for the sign-in that is not an https address',
      'report this to whoever runs the provider; a proxy may also have changed its answer',
    ),
    asked: 'discovery keys device',
  },
  'verification_uri_complete: javascript': {
    lies: { members: { device: { verification_uri_complete: 'javascript:alert(1)' } } },
    way: 'device',
    says: refused(
      'the provider gave an address for the sign-in that is not an https address',
      'report this to whoever runs the provider; a proxy may also have changed its answer',
    ),
    asked: 'discovery keys device',
  },
  'verification_uri: plain http elsewhere': {
    lies: { members: { device: { verification_uri: 'http://evil.example', verification_uri_complete: undefined } } },
    way: 'device',
    says: refused(
      'the provider gave an address for the sign-in that is not an https address',
      'report this to whoever runs the provider; a proxy may also have changed its answer',
    ),
    asked: 'discovery keys device',
  },
  'device_code: missing': {
    lies: { members: { device: { device_code: undefined } } },
    way: 'device',
    says: refused('the answer of PROVIDER lacks device_code, or has it in a wrong form'),
    asked: 'discovery keys device',
  },
  'user_code: an escape sequence': {
    lies: { members: { device: { user_code: 'A\u001b[2JB' } } },
    way: 'device',
    says: refused('the code that PROVIDER gave is not one that a person can enter'),
    asked: 'discovery keys device',
  },
  'user_code: missing': {
    lies: { members: { device: { user_code: undefined } } },
    way: 'device',
    says: refused('the answer of PROVIDER lacks user_code, or has it in a wrong form'),
    asked: 'discovery keys device',
  },
  'expires_in: missing': {
    lies: { members: { device: { expires_in: undefined } } },
    way: 'device',
    says: refused('the answer of PROVIDER lacks expires_in, or has it in a wrong form'),
    asked: 'discovery keys device',
  },
  'interval: a word': {
    lies: { members: { device: { interval: 'often' } } },
    way: 'device',
    says: refused('the answer of PROVIDER lacks interval, or has it in a wrong form'),
    asked: 'discovery keys device',
  },
  'interval: nothing': {
    lies: { members: { device: { interval: 0 } } },
    way: 'device',
    says: refused('the answer of PROVIDER lacks interval, or has it in a wrong form'),
    asked: 'discovery keys device',
  },
  'interval: beyond the end': {
    lies: { members: { device: { interval: 99_999 } } },
    way: 'device',
    seconds: 2,
    says: late('the sign-in in a browser took longer than the 2 s of this call'),
    asked: 'discovery keys device',
  },
  'pending, slow_down, done': {
    lies: {
      members: quick,
      answers: {
        poll: [
          { status: 400, body: { error: 'authorization_pending' } },
          { status: 400, body: { error: 'authorization_pending' } },
          'honest',
        ],
      },
    },
    way: 'device',
    asked: 'discovery keys device poll poll poll',
  },
  denied: {
    lies: { answers: { poll: { status: 400, body: { error: 'access_denied' } } } },
    way: 'device',
    says: refused('the sign-in to PROVIDER was denied in the browser', 'start again, and allow it there'),
  },
  expired: {
    lies: { answers: { poll: { status: 400, body: { error: 'expired_token' } } } },
    way: 'device',
    says: refused(
      'the sign-in to PROVIDER took too long: the code has expired (expired_token)',
      'start again, which gives a new code',
    ),
  },
  invalid_grant: {
    lies: { answers: { poll: { status: 400, body: { error: 'invalid_grant' } } } },
    way: 'device',
    says: refused(
      'the sign-in to PROVIDER cannot be completed: its code has expired or was used (invalid_grant)',
      'start again, which begins a new sign-in',
    ),
  },
  'a refusal of the client': {
    lies: { answers: { device: { status: 400, body: { error: 'unauthorized_client' } } } },
    way: 'device',
    says: unset(
      'the sign-in to PROVIDER uses a grant that this client may not use (unauthorized_client)',
      'tell your administrator: allow authorization code, refresh token and, for sign-ins by code, device; in its registration, make it a public client (a native application with PKCE)',
    ),
    asked: 'discovery keys device',
  },
  'a web page': {
    lies: { answers: { device: 'html' } },
    way: 'device',
    says: unavailable('PROVIDER answered with a web page (HTTP 200)', intercepted),
    asked: 'discovery keys device',
  },
  'a web page at the token endpoint': {
    lies: { answers: { poll: 'html' } },
    way: 'device',
    seconds: 2.5,
    says: late('the sign-in in a browser took longer than the 2.5 s of this call'),
    asked: 'discovery keys device poll poll',
  },
  'a redirect to elsewhere': {
    lies: { answers: { device: 'elsewhere' } },
    way: 'device',
    says: unavailable('PROVIDER answered with a redirect, which is not followed (HTTP 307)', intercepted),
    asked: 'discovery keys device',
  },
  'a redirect of the poll to elsewhere': {
    lies: { answers: { poll: 'elsewhere' } },
    way: 'device',
    seconds: 2.5,
    says: late('the sign-in in a browser took longer than the 2.5 s of this call'),
    asked: 'discovery keys device poll poll',
  },
  'iss of the ID token: another': {
    lies: { idToken: { claims: { iss: 'https://evil.example' } } },
    way: 'device',
    says: refused(
      'the ID token of PROVIDER names the issuer "https://evil.example", not "http://PROVIDER"',
      'set issuer to the one whose tokens these are, or report this to whoever runs the provider',
    ),
  },
  'aud of the ID token: another': {
    lies: { idToken: { claims: { aud: 'another' } } },
    way: 'device',
    says: refused('the ID token of PROVIDER is not for the client "desktop" (aud)', again),
  },
  'signature of the ID token wrong': {
    lies: { idToken: { signature: 'wrong' } },
    way: 'device',
    says: refused('the ID token of PROVIDER has a wrong signature', again),
  },
} satisfies ToldLies
