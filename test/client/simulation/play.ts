import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OpenSignIn } from '../../../src/client/credentials/client-sign-in.ts'
import type { HelperRun, RunHelper } from '../../../src/client/launch/run-credential-helper.ts'
import { parseScenario } from '../../../src/client/simulation/parse-scenario.ts'
import { planDocuments, planScenario } from '../../../src/client/simulation/plan-scenario.ts'
import { playScenario } from '../../../src/client/simulation/play-scenario.ts'
import type { SimulationEvent } from '../../../src/client/simulation/simulation-event.ts'
import { VirtualClock } from '../../../src/client/simulation/virtual-clock.ts'
import type { ConfigDocument, HelperScriptCredential } from '../../../src/config/document.ts'
import { startGateway } from '../../../src/gateway/start-gateway.ts'
import { createTokenLedger } from '../../../src/gateway/token-ledger.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const startAt = Date.parse('2026-03-02T09:00:00Z')

/** Writes a helper in a few lines of shell, which is quick to start; by default each run prints another token of an hour. */
export async function writeShellHelper(script = hourlyToken): Promise<Partial<HelperScriptCredential>> {
  const command = join(await temporaryDirectory(), 'helper')
  await writeFile(command, `#!/bin/sh\n${script}\n`)
  await chmod(command, 0o755)
  return { command }
}

/** A JWT that states only its end, and the number of the process, so that each differs. */
const hourlyToken = `
claims=$(printf '{"exp":%s,"jti":"%s"}' $(($(date +%s) + 3600)) $$ | base64 | tr -d '=\\n' | tr '/+' '_-')
echo "eyJhbGciOiJub25lIn0.$claims.x"`

interface Played {
  readonly credential?: Partial<HelperScriptCredential>
  readonly document?: ConfigDocument['inference']
  readonly runHelper?: RunHelper
  readonly openSignIn?: OpenSignIn
  readonly tokenLifeSec?: number
}

/** Plays a scenario over a gateway in this process, as the command does. */
export async function play(text: string, { credential, document, ...more }: Played = {}): Promise<SimulationEvent[]> {
  const parsed = parseScenario(text)
  const tasks = parsed.ok ? planScenario(parsed.scenario) : parsed.problems[0]?.message
  const inference = {
    provider: 'gateway',
    baseUrl: 'https://gateway.example.com',
    credential: { kind: 'helper-script', command: '/nonexistent/helper', ...credential },
    ...document,
  } as const
  const planned = parsed.ok ? planDocuments({ inference }, parsed.scenario, startAt) : ''
  if (!parsed.ok || typeof tasks !== 'object' || typeof planned === 'string') throw new Error(`${tasks} ${planned}`)
  const { isServed, document: values } = parsed.scenario
  const clock = new VirtualClock(startAt)
  const ledger = createTokenLedger(clock.now)
  const { url, failureMode, close } = await startGateway({ verify: ledger.verify, sleep: clock.sleep })
  try {
    const controls = { failureMode, ...ledger }
    const env = { PATH: '/usr/bin:/bin' }
    const settings = {
      tasks,
      document: planned.first,
      clock,
      gateway: { url, controls },
      env,
      platform: 'linux',
      ...(isServed && { served: { values } }),
    } as const
    return await playScenario({ ...settings, ...more })
  } finally {
    await close()
  }
}

/** Returns a run that needs no process. */
export function ranWell(output: { token: import('../../../src/runtime/secret.ts').Secret }): HelperRun {
  const credential = { ...output, headers: {} }
  return { ok: true, credential, shape: 'bare token', warnings: [], stderr: '', durationMs: 0, survivors: 'none' }
}

/** Events as `hh:mm:ss [window] type detail`. */
export function brief(events: readonly SimulationEvent[]): string[] {
  return events.map((event) => {
    const { at, type, ...rest } = event
    const detail = [...detailKeys]
      .map((key) => (rest as Record<string, unknown>)[key])
      .filter((value) => value !== undefined)
    const window = 'session' in event && event.session !== undefined ? `[${event.session}]` : ''
    return [new Date(at).toISOString().slice(11, 19), window, type, ...detail].filter((word) => word !== '').join(' ')
  })
}

const detailKeys = ['context', 'cause', 'status', 'failure', 'reason', 'answer', 'fields', 'changes', 'words'] as const
