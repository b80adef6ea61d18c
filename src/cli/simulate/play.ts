import { planDocuments } from '../../client/simulation/scenario/plan-documents.ts'
import { planScenario } from '../../client/simulation/scenario/plan-scenario.ts'
import type { SimulationEvent } from '../../client/simulation/simulation-event.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { HelperError } from '../../runtime/failure.ts'
import { askToRun, findUrlProblem, renderUrl } from '../ask-to-run.ts'
import type { Cli } from '../cli.ts'
import { isBuiltIn } from './built-in.ts'
import type { SimulateFlags } from './flags.ts'
import type { NamedScenario } from './scenario.ts'
import { playOnGateway, startOfDay } from './stage.ts'

/**
 * Plays a scenario once the person has agreed to what it runs.
 * @throws {HelperError} `usage` when it cannot be played so, `refused` when the person does not agree.
 */
export async function playNamed(
  cli: Cli,
  { name, scenario }: NamedScenario,
  document: ConfigDocument,
  flags: SimulateFlags,
): Promise<SimulationEvent[]> {
  const tasks = planScenario(scenario)
  if (typeof tasks === 'string')
    throw new HelperError('usage', `${name}: ${tasks}`, 'shorten it, or do things less often')
  const planned = planDocuments(document, scenario, startOfDay())
  if (typeof planned === 'string')
    throw new HelperError('usage', `${name}: ${planned}`, 'correct the scenario; see: gatepass config fields')
  const problem = flags.gateway === undefined ? undefined : findUrlProblem(flags.gateway)
  if (problem) throw new HelperError('usage', `--gateway ${problem.message}`, problem.hint)
  if (flags.gateway !== undefined && tasks.some(({ action }) => needsOwnGateway(action)))
    throw new HelperError('usage', `${name} does something to the gateway itself`, 'leave out --gateway')
  if (!isBuiltIn(document) || flags.gateway !== undefined) {
    const destination = flags.gateway === undefined ? 'a gateway in this process' : renderUrl(flags.gateway)
    await askToRun(cli.terminal, { ...planned, destination }, flags.yes)
  }
  return playOnGateway(cli, { tasks, document: planned.first, flags })
}

function needsOwnGateway(act: { readonly type: string; readonly effect?: { readonly of: string } }): boolean {
  return act.type === 'revoke' || act.effect?.of === 'gateway' || act.effect?.of === 'stream'
}
