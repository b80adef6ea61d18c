import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createIssuer, createRule } from '../../../src/gateway/credentials/federation-rules.ts'
import type { PlatformRecord } from '../../../src/gateway/http/record-requests.ts'
import { type Seed, seedPlatform } from '../../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../../src/gateway/start-platform.ts'
import { openState, type State } from '../../../src/gateway/store/state.ts'
import { runBundle } from '../../setup/run-bundle.ts'
import { fails, type Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startTraces } from '../../setup/traces.ts'
import {
  audience,
  createIdentityProvider,
  type IdentityProvider,
  issuer,
} from '../../stand-ins/identity/identity-provider.ts'
import { type IdentityServices, startIdentityServices } from '../../stand-ins/identity/identity-services.ts'

export const program = 'workload-token'

/** A part of every secret that a test invents, so that one search finds them all. */
export const canary = 'canary'

export interface Call {
  readonly argv?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

/** A platform that trusts an identity provider, services that issue its tokens, and the built helper between them. */
export interface Workbench extends AsyncDisposable {
  readonly home: string
  readonly provider: IdentityProvider
  readonly services: IdentityServices
  readonly platform: { readonly url: string; readonly state: State; readonly seed: Seed; readonly rule: string }
  /** Arguments that name the platform, the organization and the rule. */
  readonly target: readonly string[]
  /** Writes an identity token into a file of the home directory; its path. */
  writeToken(token: string): Promise<string>
  /** Runs the built helper as a client does, and searches what it says and leaves behind for secrets. */
  run(call?: Call): Promise<Outcome>
  /** The outcomes of the exchanges, in order: the status, and the reason of a refusal. */
  exchanges(): string[]
}

export async function startWorkbench(): Promise<Workbench> {
  const home = await temporaryDirectory()
  const traces = await startTraces(home)
  const provider = await createIdentityProvider()
  const services = await startIdentityServices(provider)
  const state = openState({ now: Date.now })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer, keys: { inline: provider.jwks } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject: '*', claims: {} },
    lifeSec: 3600,
  })
  const records: PlatformRecord[] = []
  const platform = await startPlatform({ state, onRecord: (record) => records.push(record) })
  return {
    home,
    provider,
    services,
    platform: { url: platform.url, state, seed, rule },
    target: ['--base-url', platform.url, '--organization', seed.organization, '--federation-rule', rule],
    writeToken: async (token) => {
      const path = join(home, 'identity-token')
      await writeFile(path, `${token}\n`)
      return path
    },
    run: async ({ argv = [], env = {} } = {}) => {
      const outcome = await runBundle(program, { argv, env: traces.logIn({ argv, env: { HOME: home, ...env } }) })
      expectNoSecret(`${outcome.stderr}${await traces.read()}`)
      return outcome
    },
    exchanges: () =>
      records
        .filter(({ path }) => path === '/v1/oauth/token')
        .map(({ status, reason }) => (reason === undefined ? `${status}` : `${status} ${reason}`)),
    [Symbol.asyncDispose]: async () => {
      await services[Symbol.asyncDispose]()
      await platform.close()
      state.close()
    },
  }
}

export const failure = (status: number, message: string, hint: string) => fails(program, status, message, hint)

/** Returns the token of a run that succeeded without output on stderr. */
export function tokenOf({ status, stdout, stderr }: Outcome): string {
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return (JSON.parse(stdout) as { token: string }).token // a client would refuse anything else
}

/** JWTs begin with an object, whose base64 begins so; so do the platform's own tokens with their prefix. */
function expectNoSecret(said: string): void {
  expect(
    [canary, 'eyJ', 'Y2FuYXJ5', 'sk-vendor-'].filter((secret) => said.includes(secret)),
    'secrets on stderr, in the log or in the cache',
  ).toEqual([])
}
