import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toBundlePath } from '../../pkg-scripts/tree.ts'
import { createApi } from '../../src/api/create-api.ts'
import type { ClientEvent } from '../../src/client/client-event.ts'
import { runCredentialHelper } from '../../src/client/launch/run-credential-helper.ts'
import { startClient } from '../../src/client/session/start-client.ts'
import type { ClientContext } from '../../src/contract/context.ts'
import { revokeTokens } from '../../src/gateway/credentials/access-tokens.ts'
import { createIssuer, createRule } from '../../src/gateway/credentials/federation-rules.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { seedPlatform } from '../../src/gateway/seed-platform.ts'
import { startPlatform } from '../../src/gateway/start-platform.ts'
import { openState } from '../../src/gateway/store/state.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { audience } from '../stand-ins/identity/identity-provider.ts'
import { startOidcIssuer } from '../stand-ins/provider/workload-issuer.ts'

const hour = 3600

/** A workload's program: it sends its own secret to the issuer and prints the token that it gets. */
const signIn = `const { TOKEN_URL, CLIENT } = process.env
const response = await fetch(TOKEN_URL, {
  method: 'POST',
  headers: { authorization: 'Basic ' + Buffer.from(CLIENT).toString('base64') },
  body: new URLSearchParams({ grant_type: 'client_credentials' }),
})
console.log(await response.text())
`

/** Returns an issuer, a platform that fetches its keys, and a client whose helper is the built one. */
async function setStage() {
  const home = await temporaryDirectory()
  const issuer = await startOidcIssuer()
  const aheadMs = { platform: 0, client: 0 }
  const state = openState({ now: () => Date.now() + aheadMs.platform })
  const seed = seedPlatform(state)
  const rule = createRule(state, {
    issuerId: createIssuer(state, { issuer: issuer.issuer, keys: { url: issuer.jwksUrl } }),
    serviceAccountId: seed.identities.serviceAccount,
    workspaceId: seed.workspaces.team,
    conditions: { audience, subject: issuer.client.id, claims: { client_id: issuer.client.id } },
    lifeSec: hour,
  })
  const records: PlatformRecord[] = []
  const platform = await startPlatform({ state, onRecord: (record) => records.push(record) })
  onTestFinished(async () => {
    await platform.close()
    state.close()
    await issuer[Symbol.asyncDispose]()
  })
  const script = join(home, 'sign-in.mjs')
  await writeFile(script, signIn)
  const credential = {
    kind: 'helper-script',
    command: process.execPath,
    args: [
      ...[toBundlePath('workload-token'), '--base-url', platform.url, '--organization', seed.organization],
      ...['--federation-rule', rule, '--identity', 'command', '--identity-field', 'access_token'],
      ...['--identity-command', process.execPath, '--identity-command', script, '--audience', audience],
      // Hours pass within seconds here, so a token that another refresh just minted is out of date.
      ...['--cache', 'none'],
    ],
    ttlSec: hour,
    timeoutSec: 30,
  } as const
  const env = { HOME: home, TOKEN_URL: issuer.tokenUrl, CLIENT: `${issuer.client.id}:${issuer.client.secret}` }
  const events: ClientEvent[] = []
  const client = startClient({
    document: { inference: { provider: 'gateway', baseUrl: platform.url, credential } },
    env,
    platform: process.platform,
    now: () => Date.now() + aheadMs.client,
    onEvent: (event) => events.push(event),
  })
  const obtain = async (context: ClientContext) => {
    const run = await runCredentialHelper(credential, context, { env, platform: process.platform })
    if (!run.ok) throw new Error(run.stderr)
    return { ...run.credential, scheme: 'bearer' as const }
  }
  let current: Promise<Awaited<ReturnType<typeof obtain>>> | undefined
  const contexts: ClientContext[] = []
  const ask = (context: ClientContext) => {
    contexts.push(context)
    current = obtain(context)
    return current
  }
  const api = createApi({
    baseUrl: platform.url,
    credentials: { current: () => current ?? ask('interactive'), renew: () => ask('mid-session-refresh') },
    fetch,
  })
  let told = 0
  return {
    client,
    api,
    seed,
    state,
    contexts,
    /** Time passes for everybody, or for the platform alone. */
    pass: (seconds: number, whose: 'everybody' | 'platform' = 'everybody') => {
      aheadMs.platform += seconds * 1000
      if (whose === 'everybody') aheadMs.client += seconds * 1000
    },
    /** Returns the events of the client since the last call: their kinds, with what distinguishes them. */
    happenings: () => {
      const fresh = events.slice(told)
      told = events.length
      return fresh.map(describeEvent)
    },
    exchanges: () => records.filter(({ path }) => path === '/v1/oauth/token').map(({ status }) => status),
  }
}

function describeEvent(event: ClientEvent): string {
  switch (event.type) {
    case 'helper-started':
      return `helper runs (${event.context}), because of ${event.cause}`
    case 'helper-succeeded':
      return `token printed${event.stderr}${event.headerNames.join()}`
    case 'helper-failed':
      return `helper failed: ${event.stderr}`
    case 'request-answered':
      return `HTTP ${event.status}`
    case 'turn-succeeded':
      return `turn done after ${event.attempts}`
    default:
      return event.type
  }
}

const refreshed = (cause: string) => [`helper runs (mid-session-refresh), because of ${cause}`, 'token printed']

describe('a workload that an OpenID provider knows', () => {
  test('keeps its session through a ttl, an expiry and a revocation', async () => {
    const { client, pass, happenings, exchanges, state } = await setStage()
    const session = await client.startSession()
    const take = async (text: string) => ({ answer: await session.sendTurn(text), happened: happenings() })
    const first = await take('Hello?')
    pass(hour)
    const hourLater = await take('An hour later?')
    pass(hour, 'platform')
    const endedEarly = await take('And with a token that ended before the client thought?')
    revokeTokens(state)
    const revoked = await take('And after an administrator revoked every token?')

    const rescued = ['credential-reused', 'HTTP 401', ...refreshed('unauthorized'), 'HTTP 200', 'turn done after 2']
    expect({ first, hourLater, endedEarly, revoked, exchanges: exchanges() }).toEqual({
      first: {
        answer: 'Hello?',
        happened: [
          'session-started',
          'helper runs (interactive), because of session-start',
          'token printed',
          'credential-reused',
          'HTTP 200',
          'turn done after 1',
        ],
      },
      hourLater: {
        answer: 'An hour later?',
        happened: [...refreshed('ttl-passed'), 'HTTP 200', 'turn done after 1'],
      },
      endedEarly: { answer: 'And with a token that ended before the client thought?', happened: rescued },
      revoked: { answer: 'And after an administrator revoked every token?', happened: rescued },
      exchanges: [200, 200, 200, 200],
    })
  })

  test('uses the resources of a session meanwhile', async () => {
    const { api, seed, state, pass, contexts, exchanges } = await setStage()
    const { session, file, resources } = seed
    const listKinds = async () => (await api.resources.list(session)).data.map(({ type }) => type)
    const message = { type: 'user.message', content: [{ type: 'text', text: 'Still there?' }] } as const
    const before = await listKinds()
    const added = await api.resources.add(session, { file_id: file })
    const read = await api.resources.get(session, added.id)
    pass(hour + 1)
    const rotated = await api.resources.rotate(session, resources.repository, 'a-new-token')
    revokeTokens(state)
    const [event] = await api.events.send(session, [message])

    expect({
      before,
      read,
      rotated: { type: rotated.type, id: 'id' in rotated ? rotated.id : undefined },
      event: { type: event?.type, content: event?.content },
      after: await listKinds(),
      contexts,
      exchanges: exchanges(),
    }).toEqual({
      before: ['file', 'git_repository', 'memory_store'],
      read: added,
      rotated: { type: 'git_repository', id: resources.repository },
      event: message,
      after: ['file', 'git_repository', 'memory_store', 'file'],
      contexts: ['interactive', 'mid-session-refresh', 'mid-session-refresh'],
      exchanges: [200, 200, 200],
    })
  })
})
