import { findNearestName } from '../../../runtime/names/nearest-name.ts'
import { knownRegions } from './known-regions.ts'

/**
 * What is said of a region that AWS did not have when this version was built; `undefined` for any other. It is no failure,
 * because AWS opens new regions.
 */
export function describeUnknownRegion(region: string): string | undefined {
  if (knownRegions.includes(region)) return undefined
  const near = findNearestName(region, knownRegions)
  const advice = near === undefined ? 'set a region such as eu-central-1' : `did you mean ${near}?`
  return `AWS has no region "${region}" that this version knows; unless it is a new one, no token will work there: ${advice}`
}
