// Folder: the language of fleet scenarios: sites and their hours, the provider, events, and the compared choices.

import { isMap, isScalar, type Node } from 'yaml'
import type { YamlText } from '../../client/simulation/parse-scenario.ts'
import type { ParsedScenario } from '../../client/simulation/scenario.ts'
import { daySec } from '../fleet-result.ts'
import type { FleetProvider, FleetSite } from '../fleet-settings.ts'
import { choiceKeys, type FleetScenario, toChoice } from './choice-keys.ts'
import {
  type Invalid,
  isInvalid,
  type ParseNode,
  parseBounded,
  parseList,
  parseMapping,
  parseNumber,
  parseSections,
  parseWords,
  rejectValue,
} from './parse-mapping.ts'
import { type Hours, parseDurationSec, parseHours, parseMoment, parseSpan, type Span, toUtcSec } from './parse-times.ts'

/** Parses the scenario of a fleet in YAML, which includes JSON. It reports all problems at once. */
export function parseFleetScenario(text: string): ParsedScenario<FleetScenario> {
  return parseSections(text, sections, toScenario)
}

/** Parses the facts about the identity provider; by default it is fast and has no quota. */
const parseProvider: ParseNode<FleetProvider> = (node, yaml) => {
  const values = parseMapping(node, yaml, {
    quota: parseNumber(1, mostPerSec),
    retryAfter: parseWords(parseDurationSec),
    latency: parseLatency,
  })
  if (isInvalid(values)) return values
  if (values.retryAfter !== undefined && values.quota === undefined)
    return rejectValue('retryAfter needs a quota, because only a 429 has it')
  const { latency = defaultProvider.latency } = values
  return { quotaPerSec: values.quota, retryAfterSec: values.retryAfter, latency }
}

/** The most requests a second that a scenario can mention. */
const mostPerSec = 10_000_000

/** The provider of a scenario that does not describe one. */
const defaultProvider: FleetProvider = {
  quotaPerSec: undefined,
  retryAfterSec: undefined,
  latency: [[0, 300]],
}

/** Parses one duration, or a mapping from requests a second to durations. */
const parseLatency: ParseNode<FleetProvider['latency']> = (node, yaml) => {
  if (isScalar(node)) {
    const ms = parseMilliseconds(node, yaml)
    return isInvalid(ms) ? ms : [[0, ms]]
  }
  if (!isMap(node) || node.items.length === 0)
    return rejectValue('expected a duration such as 300ms, or durations by requests a second: {0: 200ms, 500: 2s}')
  const points = node.items.flatMap(({ key, value }) => {
    const perSec = parseBounded(isScalar(key) ? String(key.value) : '', 0, mostPerSec)
    const ms = parseMilliseconds(value as Node, yaml)
    for (const [node, parsed] of [[key, perSec] as const, [value ?? key, ms] as const])
      if (isInvalid(parsed)) yaml.addProblem(node as Node, parsed.problem)
    return isInvalid(perSec) || isInvalid(ms) ? [] : [[perSec, ms] as const]
  })
  return points.toSorted(([a], [b]) => a - b)
}

const parseMilliseconds = parseWords((text) => {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s)$/.exec(text) ?? []
  if (number === undefined) return rejectValue(`${JSON.stringify(text)} is not a time to answer; write 300ms or 1.5s`)
  return Number(number) * (unit === 's' ? 1000 : 1)
})

/** A site as it is written: its share is a number of parts, and its times are in its own zone. */
interface WrittenSite {
  readonly share: number
  /** Absent for a site without people, whose machines only run tasks. */
  readonly hours?: Hours | undefined
  readonly machine: FleetSite['machine']
  readonly spreadSec: number
  /** Sleeps that name no zone are in the zone of the hours. */
  readonly sleeps: readonly Span[]
}

/** The spread of people's beginnings and ends, unless the site sets it. */
const defaultSpreadSec = 20 * 60

/** Parses a site, and rejects keys that do not apply to its kind of machine. */
export const parseSite: ParseNode<WrittenSite> = (node, yaml) => {
  const values = parseMapping(node, yaml, {
    share: parseNumber(0.001, 1_000_000, 'decimal'),
    hours: parseWords(parseHours),
    spread: parseWords(parseDurationSec),
    sleeps: parseList(parseWords(parseSpan)),
    machine: parseWords(parseMachine),
  })
  if (isInvalid(values)) return values
  const { share = 1, hours, spread = defaultSpreadSec, sleeps = [], machine = 'laptop' } = values
  if (isMap(node) && !node.has('hours') && machine === 'laptop')
    return rejectValue('a site of laptops needs hours; write 09:00-17:30 Europe/Berlin, or machine: always-on')
  if (isMap(node) && !node.has('hours') && (node.has('spread') || node.has('sleeps')))
    return rejectValue('a site without hours has nobody who comes or closes a laptop; remove spread and sleeps')
  return { share, hours, machine, spreadSec: spread, sleeps }
}

function parseMachine(text: string): FleetSite['machine'] | Invalid {
  const machine = machines.find((name) => name === text)
  return machine ?? rejectValue(`${JSON.stringify(text)} is not one of ${machines.join(', ')}`)
}

const machines: readonly FleetSite['machine'][] = ['laptop', 'always-on']

/** A day on which both hemispheres have their regular offset, and no clock changes. */
export const defaultDate = '2026-01-14'

const parseMoments = parseList(parseWords(parseMoment))

/** A scheduled task: its interval, and the spread of the desktops. */
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

type ScenarioSections = Exclude<ReturnType<typeof parseMapping<typeof sections>>, Invalid>

/** Enough days for a fleet to reach its usual state, unless a token lives longer than a day. */
const warmUpDays = 1

function toScenario(values: ScenarioSections): FleetScenario {
  const { summary = '', date = defaultDate, sites = [], provider = defaultProvider } = values
  const totalShare = sites.reduce((sum, { share }) => sum + share, 0)
  return {
    summary,
    choices: values.choices ?? [],
    day: {
      warmUpDays,
      sites: sites.map((site) => toSite(site, totalShare, date)),
      turnEverySec: values.turns ?? usualTurnEverySec,
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

/** Converts a site to its settings on a date, with its part of the whole fleet. */
export function toSite(site: WrittenSite, totalShare: number, date: string): FleetSite {
  const { hours, spreadSec, machine } = site
  const beginsAt = hours ? toUtcSec(hours.begin, date) : 0
  return {
    share: site.share / totalShare,
    machine,
    beginsAt,
    beginSpreadSec: hours ? spreadSec : 0,
    stays: hours?.forSec ?? 0,
    staySpreadSec: hours ? spreadSec : 0,
    sleeps: site.sleeps
      .map(({ at, forSec, spreadSec }) => ({
        at: toLater(toUtcSec(at, date, hours?.begin.zone), beginsAt),
        forSec,
        spreadSec,
      }))
      .toSorted((a, b) => a.at - b.at),
  }
}

/** Moves a time to the next day unless it is after another one. */
function toLater(sec: number, after: number): number {
  return sec < after ? sec + daySec : sec
}

/** Parses a calendar day such as `2026-01-14`, which must exist. */
export function parseDate(text: string): string | Invalid {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // `Date` would read a day that the month does not have as a day of the next month.
  const isDate = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
  return isDate ? text : rejectValue(`${JSON.stringify(text)} is not a date; write 2026-01-14`)
}

/** The interval of turns in a scenario that names none, in seconds. */
export const usualTurnEverySec = 5 * 60

/** Parses the interval of turns in an open window, such as `every 5m`, into seconds. */
export function parseTurns(text: string): number | Invalid {
  const [, every] = /^every (\S+)$/.exec(text.trim()) ?? []
  return every === undefined
    ? rejectValue(`${JSON.stringify(text)} is not known; write every 5m`)
    : parseDurationSec(every)
}

function parseTasks(text: string): Tasks | Invalid {
  const [, every, spread] = /^every (\S+)(?: spread (\S+))?$/.exec(text.trim()) ?? []
  if (every === undefined)
    return rejectValue(`${JSON.stringify(text)} is not known; write every 1h, or every 1h spread 5m`)
  const [everySec, spreadSec] = [parseDurationSec(every), spread === undefined ? 0 : parseDurationSec(spread)]
  if (isInvalid(everySec)) return everySec
  if (isInvalid(spreadSec)) return spreadSec
  return spreadSec < everySec
    ? { everySec, spreadSec }
    : rejectValue('the spread has to be less than the time between them')
}

/** Parses an outage of the provider, such as `10:00 UTC for 10m`. It is the same for every desktop, so it has no spread. */
export function parseOutage(text: string): Span | Invalid {
  const span = parseSpan(text)
  return isInvalid(span) || span.spreadSec === 0
    ? span
    : rejectValue('an outage has no spread; write 10:00 UTC for 10m')
}

/** Parses the choices to compare: one or two. */
function parseChoices(node: Node, yaml: YamlText): FleetScenario['choices'] | Invalid {
  const parsed = parseList((item) => {
    const values = parseMapping(item, yaml, rowsOfChoices)
    return isInvalid(values) ? values : toChoice(values)
  })(node, yaml)
  return !isInvalid(parsed) && parsed.length > 2 ? rejectValue('at most two choices are compared') : parsed
}

const rowsOfChoices = Object.fromEntries(Object.entries(choiceKeys).map(([key, { parse }]) => [key, parseWords(parse)]))
