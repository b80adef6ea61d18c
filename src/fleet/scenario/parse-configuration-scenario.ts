import { isMap, isScalar, type Node } from 'yaml'
import { groupName, isRising, releaseLimits, usualWaves } from '../../bootstrap/release.ts'
import { expirySec } from '../../bootstrap/serve/answer-identity.ts'
import type { ParsedScenario } from '../../client/simulation/scenario.ts'
import { servedDocumentRules } from '../../contract/served-document.ts'
import type { ConfigurationChange, ConfigurationDay } from '../configuration/configuration-day.ts'
import { daySec } from '../fleet-result.ts'
import type { FleetSite } from '../fleet-settings.ts'
import {
  defaultDate,
  parseDate,
  parseOutage,
  parseSite,
  parseTurns,
  toSite,
  usualTurnEverySec,
} from './parse-fleet-scenario.ts'
import {
  type Invalid,
  isInvalid,
  type ParseNode,
  parseList,
  type parseMapping,
  parseNumber,
  parseSections,
  parseWords,
  rejectValue,
} from './parse-mapping.ts'
import { type Moment, parseDurationSec, parseMoment, toUtcSec } from './parse-times.ts'

/** The scenario of a day at a configuration server; the number of desktops is not part of it. */
export interface ConfigurationScenario {
  readonly summary: string
  readonly day: Omit<ConfigurationDay, 'desktops' | 'seed'>
}

/** Parses the scenario of a day at a configuration server in YAML, which includes JSON. It reports all problems at once. */
export function parseConfigurationScenario(text: string): ParsedScenario<ConfigurationScenario> {
  return parseSections(text, sections, toScenario, validateTogether)
}

/** Parses a site of laptops: a configuration day has no machine without a person. */
const parseLaptops: ParseNode<Exclude<ReturnType<typeof parseSite>, Invalid>> = (node, yaml) => {
  const site = parseSite(node, yaml)
  return !isInvalid(site) && site.machine === 'always-on'
    ? rejectValue('an always-on machine has nobody whom a restart could block; remove it')
    : site
}

/** The most groups: every combination can still have a document of its own. */
const mostGroups = 8

/** Parses the percentage of people in each group. */
const parseGroups: ParseNode<ConfigurationDay['groups']> = (node, yaml) => {
  if (!isMap(node)) return rejectValue('expected names of groups with percentages: {engineering: 30}')
  if (node.items.length > mostGroups) return rejectValue(`more than ${mostGroups} groups`)
  const parsePercent = parseNumber(0.001, 100, 'decimal')
  return node.items.flatMap(({ key, value }) => {
    const name = isScalar(key) ? String(key.value) : ''
    const percent = groupName.safeParse(name).success
      ? parsePercent(value as Node, yaml)
      : rejectValue(`${JSON.stringify(name)} is not a name of a-z, 0-9, dots and dashes`)
    if (!isInvalid(percent)) return [{ name, share: percent / 100 }]
    yaml.addProblem(key as Node, percent.problem)
    return []
  })
}

const sections = {
  summary: parseWords((text) => text),
  date: parseWords(parseDate),
  sites: parseList(parseLaptops),
  turns: parseWords(parseTurns),
  turnTakes: parseWords(parseDurationSec),
  waves: parseList(parseNumber(0.001, 100, 'decimal')),
  pilot: parseNumber(0, releaseLimits.pilot),
  groups: parseGroups,
  expires: parseWords(parseDurationSec),
  enforcement: parseWords(parseEnforcement),
  restart: parseWords(parseDurationSec),
  tryAgain: parseWords(parseDurationSec),
  changes: parseList(parseWords(parseChange)),
  outages: parseList(parseWords(parseOutage)),
} as const

type WrittenDay = Exclude<ReturnType<typeof parseMapping<typeof sections>>, Invalid>

interface WrittenChange {
  readonly at: Moment
  readonly command: ConfigurationChange['command']
}

/** Parses `10:00 release`, `10:30 Europe/Berlin promote 1`, `11:00 wrong release for engineering`. */
function parseChange(text: string): WrittenChange | Invalid {
  const [, time, words = ''] =
    /^(\S+(?: (?!wrong\b|release\b|promote\b|resume\b|halt\b|revert\b)\S+)?) (.+)$/.exec(text.trim()) ?? []
  const at = time === undefined ? rejectValue('') : parseMoment(time)
  const command = parseCommand(words)
  if (time !== undefined && isInvalid(at)) return at
  if (!isInvalid(at) && command) return { at, command }
  return rejectValue(
    `${JSON.stringify(text)} is not known; write 10:00 release, 10:00 wrong release for engineering, 10:30 promote 1, 10:40 halt, 11:00 resume 2 or 11:00 revert`,
  )
}

function parseCommand(words: string): ConfigurationChange['command'] | undefined {
  if (words === 'halt' || words === 'revert') return { type: words }
  const [, type, wave] = /^(promote|resume) (\d{1,2})$/.exec(words) ?? []
  if (type === 'promote' || type === 'resume') return { type, wave: Number(wave) }
  const [isRelease, wrong, group] = /^(wrong )?release(?: for (\S+))?$/.exec(words) ?? []
  if (isRelease === undefined) return undefined
  return { type: 'release', gateway: wrong === undefined ? 'right' : 'wrong', group }
}

function parseEnforcement(text: string): number | Invalid {
  const { most } = servedDocumentRules.enforcementHours
  const seconds = text === '0' ? 0 : parseDurationSec(text)
  return isInvalid(seconds) || seconds <= most * 3600 ? seconds : rejectValue(`it is at most ${most} h`)
}

function toScenario(values: WrittenDay): ConfigurationScenario {
  const { summary = '', date = defaultDate, changes = [], outages = [] } = values
  const written = values.sites ?? []
  const totalShare = written.reduce((sum, { share }) => sum + share, 0)
  const sites = written.map((site) => toSite(site, totalShare, date))
  return {
    summary,
    day: {
      sites,
      warmUpDays: sites.every(isWithinDay) ? 0 : 1,
      turnEverySec: values.turns ?? usualTurnEverySec,
      turnSec: values.turnTakes ?? 30,
      waves: values.waves ?? usualWaves,
      pilot: values.pilot ?? 0,
      groups: values.groups ?? [],
      expiresSec: values.expires ?? expirySec.default,
      enforcementSec: values.enforcement ?? servedDocumentRules.enforcementHours.default * 3600,
      restartSec: values.restart ?? 15,
      tryAgainSec: values.tryAgain ?? 10 * 60,
      changes: changes.map(({ at, command }) => ({ at: toUtcSec(at, date), command })).toSorted((a, b) => a.at - b.at),
      outages: outages.map(({ at, forSec }) => ({ at: toUtcSec(at, date), forSec })),
    },
  }
}

/** Finds what is wrong although each value by itself is right. */
function validateTogether({ waves, groups = [], changes = [], expires }: WrittenDay): string[] {
  const names = groups.map(({ name }) => name)
  const unknown = changes.flatMap(({ command }) =>
    command.type === 'release' && command.group !== undefined && !names.includes(command.group) ? [command.group] : [],
  )
  return [
    ...(waves === undefined || (isRising(waves) && waves.length <= releaseLimits.waves)
      ? []
      : [`waves: they grow, and the last one is 100; write [${usualWaves.join(', ')}]`]),
    ...unknown.map((name) => `changes: there is no group ${JSON.stringify(name)}; add it to groups`),
    ...(expires !== undefined && expires < expirySec.least
      ? [`expires: it is at least ${expirySec.least} s, as for the server`]
      : []),
  ]
}

/** Returns whether practically everybody comes and leaves within one day in UTC, so that nobody began on the day before. */
function isWithinDay({ beginsAt, beginSpreadSec, stays, staySpreadSec }: FleetSite): boolean {
  return beginsAt - 5 * beginSpreadSec >= 0 && beginsAt + stays + 5 * (beginSpreadSec + staySpreadSec) <= daySec
}
