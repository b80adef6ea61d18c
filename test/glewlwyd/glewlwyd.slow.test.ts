import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toHelperError } from '../../src/runtime/failure.ts'
import { parseJwt } from '../../src/runtime/tokens/jwt.ts'
import type { OidcSettings } from '../../src/sources/oauth/oidc/oidc-settings.ts'
import { openProvider } from '../../src/sources/oauth/oidc/protocol/open-provider.ts'
import type { IssuedTokens } from '../../src/sources/oauth/oidc/provider.ts'
import { openCall, type Person, signInTo } from '../setup/sign-in/sign-in-to.ts'
import { launchChromium } from '../stand-ins/browser/chromium.ts'
import { type Glewlwyd, startGlewlwyd } from '../stand-ins/glewlwyd/start-glewlwyd.ts'
import { createPerson } from './person.ts'

/** A provider that nobody in this field wrote in JavaScript: glewlwyd, in C, as Debian has it. */
let glewlwyd: Glewlwyd
let browser: Browser
let person: Person

beforeAll(async () => {
  glewlwyd = await startGlewlwyd()
  browser = await launchChromium()
  person = createPerson(browser, glewlwyd.user)
})

afterAll(async () => {
  await browser?.close()
  await glewlwyd?.[Symbol.asyncDispose]()
})

test('a person signs in after a wrong password, and the replay of a refresh token ends the sign-in', async () => {
  const settings = toSettings({ bearerTokenType: 'access_token' })
  const { failure, page, kept } = await signInTo(settings, person, { seconds: 60 })
  const first = kept!.tokens
  const { host, call } = await openCall(60)
  const provider = await openProvider(settings, { host, call })
  const second = await provider.refresh(first.refreshToken!, first, keepNothing)
  const replayed = await outcomeOf(provider.refresh(first.refreshToken!, first, keepNothing))
  const afterReplay = await outcomeOf(provider.refresh(second.refreshToken!, second, keepNothing))
  const claims = { iss: glewlwyd.issuer, client_id: 'desktop', scope: 'openid gateway' }
  const ended = describeEnd('the sign-in to HOST cannot be renewed, without a reason (HTTP 400)', newSession)
  expect({
    signedIn: { failure, isTold: page?.includes('You are signed in'), claims: readClaims(first) },
    renewed: {
      claims: readClaims(second),
      isRotated: second.refreshToken?.reveal() !== first.refreshToken?.reveal(),
    },
    replayed,
    afterReplay,
  }).toEqual({
    signedIn: { failure: undefined, isTold: true, claims },
    renewed: { claims, isRotated: true },
    replayed: ended,
    afterReplay: ended,
  })
})

test('the message says that glewlwyd renews no ID token', async () => {
  const settings = toSettings({ bearerTokenType: 'id_token' })
  const { failure, kept } = await signInTo(settings, person, { seconds: 60 })
  expect(failure).toBe(undefined)
  const { iss, aud } = parseJwt(kept!.tokens.idToken!.reveal())?.claims ?? {}
  expect({ iss, aud }).toEqual({ iss: glewlwyd.issuer, aud: 'desktop' })
  const { host, call } = await openCall(60)
  const provider = await openProvider(settings, { host, call })
  expect(await outcomeOf(provider.refresh(kept!.tokens.refreshToken!, kept!.tokens, keepNothing))).toEqual(
    describeEnd(
      'HOST renewed the sign-in without a new ID token, which the gateway needs',
      'sign in again; to be asked less often, have the provider issue ID tokens on refresh, or have the gateway take access tokens and set bearer-token-type to access_token, with scopes',
    ),
  )
})

test('a person signs in by a code in a browser of another machine', async () => {
  const settings = toSettings({ bearerTokenType: 'access_token' })
  const { failure, page = '', kept } = await signInTo(settings, person, { seconds: 60, way: 'device' })
  const isDone = page.includes('Authorization complete')
  expect({ failure, isDone, claims: kept && readClaims(kept.tokens) }).toEqual({
    failure: undefined,
    isDone: true,
    claims: { iss: glewlwyd.issuer, client_id: 'desktop', scope: 'openid gateway' },
  })
})

test('glewlwyd refuses a revocation without a secret, which a public client does not have', async () => {
  const settings = toSettings({ bearerTokenType: 'access_token' })
  const { kept } = await signInTo(settings, person, { seconds: 60 })
  const { host, call } = await openCall(60)
  const provider = await openProvider(settings, { host, call })
  expect(await outcomeOf(provider.revoke(kept!.tokens.refreshToken!, 'refresh_token'))).toEqual([
    'refused',
    'the sign-out from HOST was refused by the provider, without a reason (HTTP 401)',
    'end the session at the provider, on its page of sessions',
  ])
})

function toSettings(more: Pick<OidcSettings, 'bearerTokenType'>): OidcSettings {
  const { issuer, clientId, redirect } = glewlwyd
  return {
    issuer,
    clientId,
    scopes: 'openid gateway',
    appendOfflineAccess: true,
    redirectHost: '127.0.0.1',
    redirectPort: redirect.port,
    redirectPath: redirect.path,
    additionalRedirectReferrerHosts: [],
    ...more,
  }
}

function readClaims({ accessToken }: IssuedTokens): object {
  const { iss, client_id, scope } = parseJwt(accessToken?.reveal() ?? '')?.claims ?? {}
  return { iss, client_id, scope }
}

const newSession = 'start a new session, so that a person can sign in'

function describeEnd(message: string, hint: string): readonly string[] {
  return ['sign-in-required', message, hint]
}

/** Returns the message of a failure, with the provider's address as `HOST`. */
async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  const failure = await work.then(() => undefined, toHelperError)
  const { host } = new URL(glewlwyd.issuer)
  return failure && [failure.kind, failure.message.replaceAll(host, 'HOST'), failure.hint]
}

const keepNothing = async () => {}
