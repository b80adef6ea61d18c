import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperScriptCredential } from '../../src/config/document.ts'
import { createIssuer, createRule } from '../../src/gateway/federation/trust.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { type Seed, seedPlatform } from '../../src/gateway/seed.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { openState, type State } from '../../src/gateway/store/state.ts'
import { audience } from '../../test/stand-ins/identity/identity-provider.ts'
import type { OidcIssuer } from '../../test/stand-ins/identity/oidc-issuer.ts'
import { bundlePath } from '../tree.ts'

/** A platform, an OpenID provider that it trusts, and a workload that the provider knows. */
export interface Trust extends AsyncDisposable {
  /** The platform's address. */
  readonly url: string
  readonly state: State
  readonly seed: Seed
  /** The workload's helper, and the environment that it needs. */
  readonly credential: HelperScriptCredential
  readonly env: NodeJS.ProcessEnv
  /** Who is told of requests from now on. */
  onRecord(listener: (record: PlatformRecord) => void): void
  /** Moves the platform's clock. */
  pass(ms: number): void
}

export async function startTrust(home: string): Promise<Trust> {
  const issuer = await startIssuer()
  let aheadMs = 0
  let listener = (_: PlatformRecord) => {}
  const state = openState({ now: () => Date.now() + aheadMs })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer: issuer.issuer, keys: { url: issuer.jwksUrl } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject: issuer.client.id, claims: {} },
    lifeSec: 3600,
  })
  const platform = await startPlatform({ state, onRecord: (record) => listener(record) })
  const script = join(home, 'sign-in.mjs')
  await writeFile(script, signIn)
  return {
    ...{ url: platform.url, state, seed },
    credential: {
      kind: 'helper-script',
      command: process.execPath,
      args: [
        ...[bundlePath('workload-token'), '--base-url', platform.url, '--organization', seed.organization],
        ...['--federation-rule', rule, '--audience', audience],
        ...['--identity', 'command', '--identity-command', process.execPath, '--identity-command', script],
        ...['--identity-field', 'access_token', '--cache', 'none'],
      ],
      timeoutSec: 30,
    },
    env: { HOME: home, TOKEN_URL: issuer.tokenUrl, CLIENT: `${issuer.client.id}:${issuer.client.secret}` },
    onRecord: (next) => {
      listener = next
    },
    pass: (ms) => {
      aheadMs += ms
    },
    [Symbol.asyncDispose]: async () => {
      await platform.close()
      state.close()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

/** Without what the provider's library warns of: that it is no server for others, and the runtime no long-term release. */
async function startIssuer(): Promise<OidcIssuer> {
  const { warn } = console
  console.warn = () => {}
  try {
    const { startOidcIssuer } = await import('../../test/stand-ins/identity/oidc-issuer.ts')
    return await startOidcIssuer()
  } finally {
    console.warn = warn
  }
}

/** A program as a workload has one: it shows its own secret to the provider and prints what it gets. */
const signIn = `const { TOKEN_URL, CLIENT } = process.env
const response = await fetch(TOKEN_URL, {
  method: 'POST',
  headers: { authorization: 'Basic ' + Buffer.from(CLIENT).toString('base64') },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
})
console.log(await response.text())
`
