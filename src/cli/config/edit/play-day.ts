import { listNumbers, renderDrawing } from '../../../client/page/render-simulation-page.ts'
import { parseScenario } from '../../../client/simulation/parse-scenario.ts'
import { planDocuments } from '../../../client/simulation/plan-documents.ts'
import { planScenario } from '../../../client/simulation/plan-scenario.ts'
import { readyMadeScenarios } from '../../../client/simulation/ready-made-scenarios.ts'
import { describeConclusions, renderVerdict, summarize } from '../../../client/simulation/summarize-simulation.ts'
import type { ConfigDocument } from '../../../config/document.ts'
import type { Cli } from '../../cli.ts'
import { toSimulatedDocument } from '../../simulate/built-in.ts'
import { computeDayStart, moveExpiry, playOnGateway } from '../../simulate/stage.ts'
import type { DrawnDay, OpenedPage } from './page-data.ts'

/** The ready-made days; `kind` is that of the credential which a day is about, and empty for a day of any. */
export function listScenarios(): OpenedPage['scenarios'] {
  return Object.entries(readyMadeScenarios).flatMap(([name, text]) => {
    const parsed = parseScenario(text)
    return parsed.ok ? [{ name, summary: parsed.scenario.summary, kind: parsed.scenario.kind ?? '' }] : []
  })
}

/** The day to play. */
interface WantedDay {
  readonly scenario: string
  readonly tokenLifeSec: number
}

/** Plays a ready-made day with the times of a document. Its helper or person is simulated: nothing is run, and nothing leaves the machine. */
export async function playDay(
  cli: Cli,
  document: ConfigDocument | undefined,
  { scenario: name, tokenLifeSec }: WantedDay,
): Promise<DrawnDay> {
  const simulated = document && toSimulatedDocument(moveExpiry(document))
  if (!simulated) return describeUnplayed('There is no day to play: the document has no credential that works.')
  const parsed = parseScenario(readyMadeScenarios[name] ?? '')
  const tasks = parsed.ok ? planScenario(parsed.scenario) : 'it cannot be read'
  const planned = parsed.ok ? planDocuments(simulated, parsed.scenario, computeDayStart()) : 'it cannot be read'
  if (typeof tasks === 'string') return describeUnplayed(`${name}: ${tasks}.`)
  if (typeof planned === 'string') return describeUnplayed(`${name}: ${planned}.`)
  const play = { tasks, document: planned.first, flags: { client: 'desktop' }, simulatedLifeSec: tokenLifeSec } as const
  const events = await playOnGateway(cli, play)
  const numbers = summarize(events)
  return {
    problem: '',
    isWell: numbers.lostTurns + numbers.lostToSimulation === 0,
    verdict: renderVerdict(numbers),
    numbers: listNumbers(numbers),
    conclusions: describeConclusions(events),
    timeline: renderDrawing(events),
  }
}

function describeUnplayed(problem: string): DrawnDay {
  return { problem, isWell: false, verdict: '', numbers: [], conclusions: [], timeline: '' }
}
