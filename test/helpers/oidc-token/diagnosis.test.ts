import { expect, test } from 'vitest'
import helper from '../../../helpers/oidc-token.ts'
import type { AnyHelper } from '../../../src/helper/define-helper.ts'
import { diagnoseHelper } from '../../../src/helper/run/diagnose-helper.ts'
import { toStableValue } from '../../setup/to-stable-text.ts'
import { startDesk } from './desk.ts'
import { program, toUnsignedJwt } from './seed-sign-in.ts'

const idToken = toUnsignedJwt({ iss: 'https://id.example.com', sub: 'dana', email: 'dana@example.com' })
const back =
  'where the browser comes back: register exactly http://127.0.0.1/callback in the registration of the client, for the client gatepass; where this provider compares the port too (RFC 8252 says it should not), choose a fixed one and register it'

const unknown = {
  status: 'unknown',
  text: 'http://127.0.0.1:PORT/token is set without an issuer, so that nothing tells whether it is right',
}
const unkept = {
  status: 'note',
  text: 'refresh-token-store: no refresh token is kept, so people sign in again whenever a token expires: 8 times in a working day of 8 hours, if it lives an hour, as is usual',
  hint: 'set refresh-token-store to file, or to keychain where every person has one',
}
const person = {
  status: 'good',
  text: 'dana@example.com is signed in since DATE, 2 min ago',
  details: [
    'kept in TEMPORARY/.local/state/gatepass/sign-ins/KEY.sealed, encrypted',
    'its key is in TEMPORARY/.local/share/gatepass/keys/KEY.key',
  ],
}

/** Gives the findings about the sign-in that doctor is told. */
async function diagnose(desk: Awaited<ReturnType<typeof startDesk>>, argv = desk.site) {
  const diagnosed = await diagnoseHelper(program, helper as AnyHelper, await desk.createHost({ argv }), 'succeeded')
  return toStableValue(diagnosed?.diagnosis.identity)
}

test('doctor is told that nobody is signed in', async () => {
  expect(await diagnose(await startDesk())).toEqual([
    unknown,
    unkept,
    {
      status: 'bad',
      text: 'nobody is signed in to 127.0.0.1:PORT',
      hint: 'sign in, with the options of this run: oidc-token sign-in',
    },
    { status: 'good', text: back },
  ])
})

test('doctor is told who is signed in since when, what is kept where, and when it ends', async () => {
  const desk = await startDesk()
  await desk.signIn({ idToken, lifeSec: 1_000.5, ageSec: 120 })
  expect(await diagnose(desk)).toEqual([
    unknown,
    unkept,
    person,
    {
      status: 'note',
      text: 'the ID token lives until DATE, in 16 min; no refresh token is kept',
      hint: 'it is not renewed, because no refresh token is kept; set refresh-token-store to file or keychain, or sign in again when it has ended',
    },
    { status: 'good', text: back },
  ])
})

test('doctor is told of a token that is renewed without a person, and renews nothing', async () => {
  const desk = await startDesk()
  const renewing = [...desk.site, '--refresh-token-store', 'file']
  await desk.signIn({ idToken, refreshToken: 'canary', lifeSec: -1, ageSec: 120 }, renewing)
  const text = 'the ID token ended at DATE, N s ago; a refresh token is kept, with which it is renewed without a person'
  expect({ told: await diagnose(desk, renewing), asked: desk.provider.asked() }).toEqual({
    told: [unknown, person, { status: 'good', text }, { status: 'good', text: back }],
    asked: 0,
  })
})

test('doctor is told of an issuer that does not answer, to which nobody is signed in', async () => {
  const desk = await startDesk()
  const argv = [
    '--client-id',
    'gatepass',
    '--issuer',
    'http://127.0.0.1:9/realms/a',
    '--resource',
    'https://gateway.example',
    '--refresh-token-store=file',
  ]
  const diagnosed = await diagnoseHelper(program, helper as AnyHelper, await desk.createHost({ argv }), 'failed')
  expect(diagnosed?.diagnosis.identity?.slice(0, 2)).toEqual([
    { status: 'bad', text: '127.0.0.1:9 cannot be reached (ECONNREFUSED)', hint: expect.any(String) },
    {
      status: 'bad',
      text: 'nobody is signed in to 127.0.0.1:9',
      hint: 'sign in, with the options of this run: oidc-token sign-in',
    },
  ])
})
