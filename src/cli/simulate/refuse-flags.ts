import { HelperError } from '../../runtime/failure.ts'
import type { SimulateFlags } from './flags.ts'

type Flag = keyof SimulateFlags

/** What is said of one client, which a fleet runs no process of. */
const ofOneClient: Readonly<Partial<Record<Flag, string>>> = {
  command: '--command',
  arg: '--arg',
  baseUrl: '--base-url',
  gateway: '--gateway',
  lookAhead: '--look-ahead',
  all: '--all',
  yes: '--yes',
}

/** What is said of a fleet. */
const ofFleet: Readonly<Partial<Record<Flag, string>>> = {
  ttl: '--ttl',
  renewEarly: '--renew-early',
  against: '--against',
  seed: '--seed',
  export: '--export',
}

/** @throws {HelperError} `usage` for flags that do not belong together. */
export function refuseFlags(flags: SimulateFlags): void {
  const isFleet = flags.fleet !== undefined
  const others = Object.entries(isFleet ? ofOneClient : ofFleet).filter(([flag]) => flags[flag as Flag] !== undefined)
  if (isFleet && flags.client !== 'desktop') others.unshift(['client', '--client'])
  const [first] = others
  if (first)
    throw new HelperError(
      'usage',
      `${first[1]} is ${isFleet ? 'for one client, not for a fleet' : 'for a fleet'}`,
      isFleet ? 'leave it out, or leave out --fleet' : 'pass --fleet with a number of desktops, or leave it out',
    )
  if (
    flags.export !== undefined &&
    (flags.json !== undefined || flags.html !== undefined || flags.against !== undefined)
  )
    throw new HelperError(
      'usage',
      '--export prints a load scenario and nothing else',
      'leave out --json, --html and --against',
    )
}
