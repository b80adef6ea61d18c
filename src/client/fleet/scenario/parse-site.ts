import { isMap } from 'yaml'
import { daySec } from '../fleet-result.ts'
import type { FleetSite } from '../fleet-settings.ts'
import { type Invalid, isInvalid, rejectValue } from './invalid.ts'
import { type ParseNode, parseList, parseMapping, parseNumber, parseWords } from './parse-mapping.ts'
import { type Hours, parseHours, parseSpan, type Span, toSeconds, toUtcSec } from './parse-moment.ts'

/** A site as it is written: its part of the fleet is a number of parts, and its times are those of its zone. */
export interface WrittenSite {
  readonly share: number
  /** Absent where nobody comes, and machines run tasks alone. */
  readonly hours?: Hours
  readonly machine: FleetSite['machine']
  readonly spreadSec: number
  /** In the zone of the hours where they name none. */
  readonly sleeps: readonly Span[]
}

/** How far apart people begin, and leave, where nothing is said about it. */
const defaultSpreadSec = 20 * 60

/** Parses one site. */
export const parseSite: ParseNode<WrittenSite> = (node, yaml) => {
  const values = parseMapping(node, yaml, {
    share: parseNumber(0.001, 1_000_000, 'decimal'),
    hours: parseWords(parseHours),
    spread: parseWords(toSeconds),
    sleeps: parseList(parseWords(parseSpan)),
    machine: parseWords(parseMachine),
  })
  if (isInvalid(values)) return values
  const { share = 1, hours, spread = defaultSpreadSec, sleeps = [], machine = 'laptop' } = values
  if (isMap(node) && !node.has('hours') && machine === 'laptop')
    return rejectValue('a site of laptops needs hours; write 09:00-17:30 Europe/Berlin, or machine: always-on')
  if (isMap(node) && !node.has('hours') && (node.has('spread') || node.has('sleeps')))
    return rejectValue('a site without hours has nobody who comes or closes a laptop; leave out spread and sleeps')
  return { share, ...(hours && { hours }), machine, spreadSec: spread, sleeps }
}

/** Parses the kind of machine. */
function parseMachine(text: string): FleetSite['machine'] | Invalid {
  const machine = machines.find((name) => name === text)
  return machine ?? rejectValue(`${JSON.stringify(text)} is not one of ${machines.join(', ')}`)
}

const machines: readonly FleetSite['machine'][] = ['laptop', 'always-on']

/** The site on a date, with its part of all. */
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

/** A moment that comes after another one, on the next day if need be. */
function toLater(sec: number, after: number): number {
  return sec < after ? sec + daySec : sec
}
