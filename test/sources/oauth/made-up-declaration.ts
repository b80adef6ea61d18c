import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { defineHelper } from '../../../src/helper/define-helper.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { Secret } from '../../../src/runtime/secret.ts'
import { createSignIn } from '../../../src/sources/oauth/create-sign-in.ts'
import type { SignInFlow } from '../../../src/sources/oauth/flow.ts'
import { signInOptions } from '../../../src/sources/oauth/sign-in-options.ts'

/** The settings of the stand-in for a provider, which a test writes to the file `provider.json` of the home directory. */
export interface ProviderSettings {
  readonly limitSec?: number
  /** A sign-in by device code in place of one that comes back to this machine. */
  readonly userCode?: string
}

/** A helper whose tokens come from a sign-in that the file `store` of the home directory holds. */
export const madeUpHelper = defineHelper({
  summary: 'print a made-up token',
  options: {
    ...signInOptions,
    number: { value: 'text', summary: 'another key' },
    back: { value: 'text', summary: 'where the browser comes back', cacheKey: 'excluded' },
  },
  facts: [],
  plan: async () => ({ inputs: {}, steps: [] }),
  mint: async ({ home, clock }) => {
    const store = readStore(home)
    if (store === undefined)
      throw new HelperError('sign-in-required', 'nobody is signed in to Example', 'ask for the made-up sign-in')
    return { token: new Secret(`token-of-${store}`), expiresAt: new Date(clock.now() + 7_200_000), facts: {} }
  },
  signIn: async (host, options, call) => createSignIn(createFlow(host.home, options.back), { host, call, options }),
})

function createFlow(home: string, back = '/oauth/callback'): SignInFlow {
  const path = join(home, 'provider.json')
  const { limitSec = 60, userCode }: ProviderSettings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
  return {
    id: 'made-up',
    request: back,
    subject: 'Example',
    limitSec,
    isSignedIn: async () => readStore(home) !== undefined,
    run: async ({ call, openListener, show, beginStoring }) => {
      if (userCode !== undefined) {
        await show({ address: 'https://example.test/device', userCode })
        return call.deadline.during('network', 'the provider', ({ signal }) => sleep(600_000, undefined, { signal }))
      }
      const listener = await openListener({ hosts: ['127.0.0.1'], path: back })
      const state = randomUUID()
      const query = new URLSearchParams({ redirect_uri: listener.redirectUri, state, code_challenge: 'c&d%41' })
      await show({ address: `https://example.test/authorize?${query}` })
      const answer = await listener.waitForCallback(state)
      beginStoring() // as the real flows do, before they store anything
      writeFileSync(join(home, 'store'), String(answer.get('code')))
      await listener.finish({})
      await listener.close()
    },
  }
}

function readStore(home: string): string | undefined {
  const path = join(home, 'store')
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
