import { createApi } from '../../src/api/create-api.ts'
import { runCredentialHelper } from '../../src/client/launch/run-credential-helper.ts'
import type { ClientContext } from '../../src/contract/context.ts'
import { revokeTokens } from '../../src/gateway/credentials/access-tokens.ts'
import type { PlatformRecord } from '../../src/gateway/http/record-requests.ts'
import { type TellEvent, tellHealthyScene } from './scene.ts'
import type { Aside } from './scene-event.ts'
import type { Screen } from './screen.ts'
import { minute, readValid, setStage } from './stage.ts'
import { startTrust, type Trust } from './trust.ts'

/** A workload that has no secret of the platform's, only an identity; the number of turns that were lost. */
export async function playFederationAct(screen: Screen, home: string): Promise<number> {
  await using trust = await startTrust(home)
  return await tellHealthyScene(screen, 'A morning with workload-token', (tell) => playMorning(trust, tell))
}

async function playMorning(trust: Trust, tell: TellEvent): Promise<void> {
  // Kept longer than it lives, so that the platform is the first to say that it is over.
  const document = readValid(trust.url, { ...trust.credential, ttlSec: 7200 })
  const { client, pass: passOnStage, now } = setStage(document, trust.env, tell)
  const aside = (who: Aside['who'], text: string) => tell({ type: 'aside', who, text, at: now() })
  trust.onRecord((record) => {
    const words = describeRecord(record)
    if (words) aside('platform', words)
  })
  const pass = (ms: number) => {
    passOnStage(ms)
    trust.pass(ms)
  }
  const resources = openResources(trust, (text) => aside('api', text))

  const session = await client.startSession()
  await session.sendTurn('Good morning.')
  pass(20 * minute)
  await resources.list()
  await resources.addFile()
  pass(45 * minute)
  await session.sendTurn('Is the token still good?')
  pass(10 * minute)
  await resources.rotateToken()
  pass(10 * minute)
  revokeTokens(trust.state)
  aside('administrator', 'an administrator revokes every token')
  await session.sendTurn('And now?')
  await resources.list()
  pass(20 * minute)
  await session.sendTurn('Thank you.')
}

/** Of the platform's own record: what becomes of identity tokens, and why it refuses. */
function describeRecord({ path, status, reason }: PlatformRecord): string | undefined {
  if (path === '/v1/oauth/token') return `platform: an identity token is exchanged for an access token (${status})`
  return status === 401 ? `platform: refused, ${reason}` : undefined
}

/** Calls on the session's resources, with tokens of the same helper. */
function openResources({ url, env, credential, seed }: Trust, tell: (text: string) => void) {
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
      tell(`api: the session has ${data.map(({ type }) => type).join(', ')}`)
    },
    addFile: async () => {
      const { type } = await api.resources.add(seed.session, { file_id: seed.file })
      tell(`api: a ${type} is added`)
    },
    rotateToken: async () => {
      const { type } = await api.resources.rotate(seed.session, seed.resources.repository, 'another-token')
      tell(`api: the ${type} has another authorization token`)
    },
  }
}
