import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { HelperScriptCredential } from '../../src/config/document.ts'
import { createIssuer, createRule } from '../../src/gateway/credentials/federation-rules.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { type Seed, seedPlatform } from '../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { openState, type State } from '../../src/gateway/store/state.ts'
import { audience } from '../../test/stand-ins/identity/identity-provider.ts'
import type { OidcIssuer } from '../../test/stand-ins/provider/workload-issuer.ts'
import { toBundlePath } from '../tree.ts'
import { startWithoutWarnings } from './without-warnings.ts'

/** A platform, an OpenID provider that it trusts, and a workload that is a client of the provider. */
export interface Federation extends AsyncDisposable {
  /** The platform's address. */
  readonly url: string
  readonly state: State
  readonly seed: Seed
  /** The workload's helper, and the environment that the helper needs. */
  readonly credential: HelperScriptCredential
  readonly env: NodeJS.ProcessEnv
  /** Replaces the listener for requests. */
  onRecord(listener: (record: PlatformRecord) => void): void
  /** Moves the platform's clock forward. */
  advance(ms: number): void
}

/** Starts the provider and the platform, and writes the workload's sign-in program below `home`. */
export async function startFederation(home: string): Promise<Federation> {
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
  await writeFile(script, signInProgram)
  return {
    url: platform.url,
    state,
    seed,
    credential: {
      kind: 'helper-script',
      command: process.execPath,
      args: [
        ...[toBundlePath('workload-token'), '--base-url', platform.url, '--organization', seed.organization],
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
    advance: (ms) => {
      aheadMs += ms
    },
    [Symbol.asyncDispose]: async () => {
      await platform.close()
      state.close()
      await issuer[Symbol.asyncDispose]()
    },
  }
}

function startIssuer(): Promise<OidcIssuer> {
  return startWithoutWarnings(async () => {
    const { startOidcIssuer } = await import('../../test/stand-ins/provider/workload-issuer.ts')
    return startOidcIssuer()
  })
}

/** The workload's sign-in: the client credentials grant (RFC 6749 section 4.4), whose answer it prints. */
const signInProgram = `const { TOKEN_URL, CLIENT } = process.env
const response = await fetch(TOKEN_URL, {
  method: 'POST',
  headers: { authorization: 'Basic ' + Buffer.from(CLIENT).toString('base64') },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
})
console.log(await response.text())
`
