import { findNearestName } from '../../runtime/text/nearest-name.ts'

/** Whether a text can be the name of a region, which becomes a part of host names. */
export function isRegionName(text: string): boolean {
  return /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(text)
}

/**
 * A warning about a region that AWS did not have when this version was built; `undefined` for a known region. It is not a failure,
 * because AWS opens new regions.
 */
export function describeUnknownRegion(region: string): string | undefined {
  if (knownRegions.includes(region)) return undefined
  const near = findNearestName(region, knownRegions)
  const advice = near === undefined ? 'set a region such as eu-central-1' : `did you mean ${near}?`
  return `AWS has no region "${region}" that this version knows; unless it is a new one, no token will work there: ${advice}`
}

/** The regions of every partition, from the list in the AWS SDK; a test compares the two. */
export const knownRegions: readonly string[] = [
  'af-south-1 ap-east-1 ap-east-2 ap-northeast-1 ap-northeast-2 ap-northeast-3 ap-south-1 ap-south-2',
  'ap-southeast-1 ap-southeast-2 ap-southeast-3 ap-southeast-4 ap-southeast-5 ap-southeast-6 ap-southeast-7',
  'ca-central-1 ca-west-1 eu-central-1 eu-central-2 eu-north-1 eu-south-1 eu-south-2 eu-west-1 eu-west-2 eu-west-3',
  'il-central-1 me-central-1 me-south-1 me-west-1 mx-central-1 sa-east-1 sa-west-1',
  'us-east-1 us-east-2 us-west-1 us-west-2 us-gov-east-1 us-gov-west-1',
  'cn-north-1 cn-northwest-1 eusc-de-east-1',
  'us-iso-east-1 us-iso-west-1 us-isob-east-1 us-isob-west-1 eu-isoe-west-1 us-isof-east-1 us-isof-south-1',
].flatMap((line) => line.split(' '))
