import { createApi } from '../../src/api/create-api.ts'
import { runCredentialHelper } from '../../src/client/launch/run-credential-helper.ts'
import type { ClientContext } from '../../src/contract/context.ts'
import { apiPaths } from '../../src/contract/http-api.ts'
import { revokeTokens } from '../../src/gateway/credentials/access-tokens.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { createDemoClient, createDemoDocument, minuteMs } from './demo-client.ts'
import { type Federation, startFederation } from './federation.ts'
import { type EventListener, playHealthyScene } from './scene.ts'
import type { OutsideEvent } from './scene-event.ts'
import type { Screen } from './screen.ts'

/** Plays a workload that has an identity and no secret of the platform. Gives the number of turns that were lost. */
export async function runFederationAct(screen: Screen, home: string): Promise<number> {
  await using federation = await startFederation(home)
  return await playHealthyScene(screen, 'A morning with workload-token', (onEvent) => runMorning(federation, onEvent))
}

async function runMorning(federation: Federation, onEvent: EventListener): Promise<void> {
  // The client caches the token for longer than it lives, so that the platform reports its end first.
  const document = createDemoDocument(federation.url, { ...federation.credential, ttlSec: 7200 })
  const { client, advance: advanceClient, now } = createDemoClient(document, federation.env, onEvent)
  const note = (who: OutsideEvent['who'], text: string) => onEvent({ type: 'outside', who, text, at: now() })
  federation.onRecord((record) => {
    const words = describeRecord(record)
    if (words) note('platform', words)
  })
  const advance = (ms: number) => {
    advanceClient(ms)
    federation.advance(ms)
  }
  const resources = createResourceCalls(federation, (text) => note('api', text))

  const session = await client.startSession()
  await session.sendTurn('Good morning.')
  advance(20 * minuteMs)
  await resources.list()
  await resources.addFile()
  advance(45 * minuteMs)
  await session.sendTurn('Is the token still good?')
  advance(10 * minuteMs)
  await resources.rotateToken()
  advance(10 * minuteMs)
  revokeTokens(federation.state)
  note('administrator', 'an administrator revokes every token')
  await session.sendTurn('And now?')
  await resources.list()
  advance(20 * minuteMs)
  await session.sendTurn('Thank you.')
}

/** Describes a request that exchanges an identity token or is refused; `undefined` for any other. */
function describeRecord({ path, status, reason }: PlatformRecord): string | undefined {
  if (path === apiPaths.tokenExchange) return `platform: an identity token is exchanged for an access token (${status})`
  return status === 401 ? `platform: refused, ${reason}` : undefined
}

/** Calls to the session's resources, with tokens of the same helper. */
function createResourceCalls({ url, env, credential, seed }: Federation, onEvent: (text: string) => void) {
  const obtain = async (context: ClientContext) => {
    const run = await runCredentialHelper(credential, context, { env, platform: process.platform })
    if (!run.ok) throw new Error(run.stderr)
    return { ...run.credential, scheme: 'bearer' as const }
  }
  let kept: ReturnType<typeof obtain> | undefined
  const ask = (context: ClientContext) => {
    kept = obtain(context)
    return kept
  }
  const api = createApi({
    baseUrl: url,
    credentials: { current: () => kept ?? ask('interactive'), renew: () => ask('mid-session-refresh') },
    fetch,
  })
  return {
    list: async () => {
      const { data } = await api.resources.list(seed.session)
      onEvent(`api: the session has ${data.map(({ type }) => type).join(', ')}`)
    },
    addFile: async () => {
      const { type } = await api.resources.add(seed.session, { file_id: seed.file })
      onEvent(`api: a ${type} is added`)
    },
    rotateToken: async () => {
      const { type } = await api.resources.rotate(seed.session, seed.resources.repository, 'another-token')
      onEvent(`api: the ${type} has another authorization token`)
    },
  }
}
