import { defineHelper } from '../../../../src/helper/define-helper.ts'
import { main } from '../../../../src/helper/run/run-helper.ts'
import type { Host } from '../../../../src/runtime/host.ts'
import type { OidcSettings } from '../../../../src/sources/oauth/oidc/oidc-settings.ts'
import { openProvider } from '../../../../src/sources/oauth/oidc/protocol/open-provider.ts'
import { parseIssued } from '../../../../src/sources/oauth/progress/to-detached-environment.ts'
import { createFileStore } from '../../../../src/sources/oauth/store/file-store.ts'
import { readSignInHeader } from '../../../../src/sources/oauth/store/locate-store.ts'
import { renewForRuns, renewSignIn } from '../../../../src/sources/oauth/store/renew-sign-in.ts'
import { signOut } from '../../../../src/sources/oauth/store/sign-out.ts'

const settingsOf = ({ env }: Host): OidcSettings => JSON.parse(env.GATEPASS_TEST_SETTINGS ?? '{}') // the test has written it

/** A program of its own: a helper over a sign-in that is kept, which asks nobody. It renews what is older than ten seconds. */
await main(
  'signed-in',
  defineHelper({
    summary: 'print the access token of a sign-in',
    options: {},
    facts: [],
    plan: async (host) => {
      const id = (await readSignInHeader(settingsOf(host), host))?.id
      return { inputs: { id: id ?? null }, steps: [], isSignedOut: id === undefined }
    },
    mint: async (host, _, call) => {
      const { startedAt } = host.clock
      const settings = settingsOf(host)
      const store = createFileStore(settings, { host, refreshTokens: 'kept', warn: call.warn })
      const newForMs = Number(host.env.NEW_FOR_MS ?? 10_000)
      const isEnough = ({ renewedAt = 0 }) => renewedAt >= startedAt - newForMs
      const { tokens } = await renewSignIn(settings, store, { host, call, isEnough })
      if (!tokens.accessToken) throw new Error('the provider issues access tokens')
      return { token: tokens.accessToken, expiresAt: tokens.expiresAt, facts: {} }
    },
    renew: async (host, _, call) => {
      const settings = settingsOf(host)
      const store = createFileStore(settings, { host, refreshTokens: 'kept', warn: call.warn })
      await renewForRuns(settings, store, { host, call, issued: parseIssued(host.env) ?? 0, isPersonUsed: false })
    },
    signOut: async (host, _, call) => {
      const store = createFileStore(settingsOf(host), { host, refreshTokens: 'kept', warn: call.warn })
      return signOut(settingsOf(host), store, { host, call, flow: { id: 'signed-in' }, open: openProvider })
    },
  }),
)
