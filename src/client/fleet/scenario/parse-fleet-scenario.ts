import type { Node } from 'yaml'
import type { ScenarioProblem } from '../../simulation/scenario/scenario.ts'
import { parseYaml, type YamlText } from '../../simulation/scenario/yaml-text.ts'
import { choiceKeys, toChoice } from './choice-keys.ts'
import type { FleetScenario } from './fleet-scenario.ts'
import { type Invalid, isInvalid, rejectValue } from './invalid.ts'
import { parseList, parseMapping, parseNumber, parseWords } from './parse-mapping.ts'
import { parseMoment, parseSpan, type Span, toSeconds, toUtcSec } from './parse-moment.ts'
import { defaultProvider, parseProvider } from './parse-provider.ts'
import { parseSite, toSite } from './parse-site.ts'

type ParsedFleetScenario =
  | { readonly ok: true; readonly scenario: FleetScenario }
  | { readonly ok: false; readonly problems: readonly ScenarioProblem[] }

/** A day on which the hemispheres differ, and no clock changes. */
const defaultDate = '2026-01-14'

/** Parses the scenario of a fleet in YAML, which includes JSON. It reports all problems at once. */
export function parseFleetScenario(text: string): ParsedFleetScenario {
  const yaml = parseYaml(text)
  const { root, problems } = yaml
  if (problems.length > 0) return { ok: false, problems }
  const values = root ? parseMapping(root, yaml, sections) : rejectValue('the file is empty')
  if (isInvalid(values)) yaml.refuse(root, values.problem)
  else if (!values.sites?.length && problems.length === 0) yaml.refuse(root, '"sites" is missing')
  if (isInvalid(values) || problems.length > 0) return { ok: false, problems }
  return { ok: true, scenario: toScenario(values) }
}

const parseMoments = parseList(parseWords(parseMoment))

/** A scheduled task: how often, and how far apart the desktops of one moment begin. */
interface Tasks {
  readonly everySec: number
  readonly spreadSec: number
}

const sections = {
  summary: parseWords((text) => text),
  date: parseWords(parseDate),
  sites: parseList(parseSite),
  turns: parseWords(parseTurns),
  tasks: parseWords(parseTasks),
  tokenLife: parseWords(choiceKeys.tokenLife.parse),
  provider: parseProvider,
  outages: parseList(parseWords(parseOutage)),
  revocations: parseMoments,
  refusedPerThousand: parseNumber(0, 1000, 'decimal'),
  choices: parseChoices,
} as const

type Sections = Exclude<ReturnType<typeof parseMapping<typeof sections>>, Invalid>

/** Enough for a fleet to be, at the midnight with which the counted day begins, as on other days; not where a token lives longer. */
const warmUpDays = 1

function toScenario(values: Sections): FleetScenario {
  const { summary = '', date = defaultDate, sites = [], provider = defaultProvider } = values
  const totalShare = sites.reduce((sum, { share }) => sum + share, 0)
  return {
    summary,
    choices: values.choices ?? [],
    day: {
      warmUpDays,
      sites: sites.map((site) => toSite(site, totalShare, date)),
      turnEverySec: values.turns ?? 5 * 60,
      taskEverySec: values.tasks?.everySec,
      taskSpreadSec: values.tasks?.spreadSec ?? 0,
      tokenLifeSec: values.tokenLife ?? 3600,
      provider,
      outages: (values.outages ?? []).map(({ at, forSec }) => ({ at: toUtcSec(at, date), forSec })),
      revocations: (values.revocations ?? []).map((moment) => toUtcSec(moment, date)).toSorted((a, b) => a - b),
      refusedPerThousand: values.refusedPerThousand ?? 0,
    },
  }
}

function parseDate(text: string): string | Invalid {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // A day that a month does not have is read as one of the next.
  const isDate = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  return isDate ? text : rejectValue(`${JSON.stringify(text)} is not a date; write 2026-01-14`)
}

function parseTurns(text: string): number | Invalid {
  const [, every] = /^every (\S+)$/.exec(text.trim()) ?? []
  return every === undefined ? rejectValue(`${JSON.stringify(text)} is not known; write every 5m`) : toSeconds(every)
}

function parseTasks(text: string): Tasks | Invalid {
  const [, every, spread] = /^every (\S+)(?: spread (\S+))?$/.exec(text.trim()) ?? []
  if (every === undefined)
    return rejectValue(`${JSON.stringify(text)} is not known; write every 1h, or every 1h spread 5m`)
  const [everySec, spreadSec] = [toSeconds(every), spread === undefined ? 0 : toSeconds(spread)]
  if (isInvalid(everySec)) return everySec
  if (isInvalid(spreadSec)) return spreadSec
  return spreadSec < everySec
    ? { everySec, spreadSec }
    : rejectValue('the spread has to be less than the time between them')
}

function parseOutage(text: string): Span | Invalid {
  const span = parseSpan(text)
  return isInvalid(span) || span.spreadSec === 0
    ? span
    : rejectValue('an outage has no spread; write 10:00 UTC for 10m')
}

/** What is compared: one choice, or two. */
function parseChoices(node: Node, yaml: YamlText): FleetScenario['choices'] | Invalid {
  const parsed = parseList((item) => {
    const values = parseMapping(item, yaml, rowsOfChoices)
    return isInvalid(values) ? values : toChoice(values)
  })(node, yaml)
  return !isInvalid(parsed) && parsed.length > 2 ? rejectValue('at most two choices are compared') : parsed
}

const rowsOfChoices = Object.fromEntries(Object.entries(choiceKeys).map(([key, { parse }]) => [key, parseWords(parse)]))
