import { expect, test } from 'vitest'
import { createIssuer, createRule } from '../../../src/gateway/credentials/federation-rules.ts'
import { seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState } from '../../../src/gateway/store/state.ts'
import type { MintCall, UsedAssertions } from '../../../src/helper/define-helper.ts'
import type { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { exchangeAtPlatform } from '../../../src/sources/oidc-token/mint-exchange.ts'
import { createIdentityProvider, issuer } from '../../stand-ins/identity/identity-provider.ts'
import { startParts } from '../oauth/made-up-parts.ts'

const clock = { now: Date.now, startedAt: Date.now(), elapsedMs: () => 0 }

/** Starts a platform that knows the people of a provider, and a sign-in with `count` tokens, one after the other. */
async function startDesk(count: number, context: MintCall['context'] = 'interactive') {
  const provider = await createIdentityProvider()
  const state = openState({ now: Date.now })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer, keys: { inline: provider.jwks } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience: 'desk', subject: 'alice', claims: {} },
    lifeSec: 3600,
  })
  const reasons: (string | undefined)[] = []
  const platform = await startPlatform({ state, onRecord: ({ reason }) => reasons.push(reason) })
  const tokens = await Promise.all(Array.from({ length: count }, () => provider.sign({ aud: 'desk', sub: 'alice' })))
  const used = new Set<string>()
  const usedAssertions: UsedAssertions = {
    use: async ({ id }, work) => {
      if (used.has(id)) return 'used'
      const { result, state: after } = await work(undefined)
      if (after === 'used') used.add(id)
      return result
    },
  }
  const target = {
    baseUrl: platform.url,
    host: new URL(platform.url).host,
    organizationId: seed.organization,
    federationRuleId: rule,
    serviceAccountId: undefined,
    workspaceId: seed.workspaces.team,
  }
  return {
    reasons,
    seed,
    used,
    exchange: async () => {
      const { host, call } = await startParts({ clock })
      let at = 0
      const supply = {
        name: 'the ID token of the sign-in',
        obtain: async () => new Secret(tokens[at] ?? ''),
        renew: async () => {
          at += 1
          return tokens[at] === undefined ? undefined : new Secret(tokens[at] ?? '')
        },
      }
      const parts = { host, call: { ...call, context, usedAssertions, removeToken: async () => {} } }
      try {
        const { facts, clockOffsetMs } = await exchangeAtPlatform(
          { form: 'platform', target, reuse: 'never' },
          supply,
          parts,
        )
        return { facts, clockOffsetMs }
      } catch (error) {
        const { kind, message, hint } = error as HelperError
        return { kind, message, hint }
      }
    },
    [Symbol.asyncDispose]: async () => {
      await platform.close()
      state.close()
    },
  }
}

const used = {
  message: 'the ID token of the sign-in was exchanged before, and may be valid for one exchange only',
  hint: 'sign in again, or keep the refresh token (refresh-token-store), so that each exchange gets a new token; if the platform accepts a token more than once, set identity-reuse to allowed',
}

test("a person's token is exchanged once, and renewed for the next exchange", async () => {
  await using desk = await startDesk(2)
  const { organization, workspaces } = desk.seed
  const granted = { facts: { issuer, subject: 'alice', organization, workspace: workspaces.team }, clockOffsetMs: 0 }
  const exchanged = [await desk.exchange(), await desk.exchange()]
  expect({ exchanged, reasons: desk.reasons }).toEqual({
    exchanged: [granted, granted],
    reasons: [undefined, undefined],
  })
})

test('a token that the platform knows already is exchanged after a renewal', async () => {
  await using desk = await startDesk(2)
  await desk.exchange()
  desk.used.clear()
  expect((await desk.exchange()).facts).toEqual({
    issuer: 'https://issuer.example',
    subject: 'alice',
    organization: expect.any(String),
    workspace: expect.any(String),
  })
  expect(desk.reasons).toEqual([undefined, 'claim jti: used before', undefined])
})

test('a token that cannot be renewed asks for a sign-in where a person may be asked', async () => {
  await using desk = await startDesk(1)
  await desk.exchange()
  expect(await desk.exchange()).toEqual({ kind: 'sign-in-required', ...used })
  expect(desk.reasons).toEqual([undefined])
})

test('where nobody may be asked, the last access token may still be served', async () => {
  await using desk = await startDesk(1, 'background')
  await desk.exchange()
  expect(await desk.exchange()).toEqual({ kind: 'unavailable', ...used })
})
