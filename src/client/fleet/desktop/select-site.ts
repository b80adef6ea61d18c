import type { FleetSettings, FleetSite } from '../fleet-settings.ts'

/** The site of a desktop: the first ones belong to the first site. */
export function selectSite({ desktops, sites }: FleetSettings, desktop: number): FleetSite {
  let end = 0
  for (const site of sites) {
    end += site.share * desktops
    if (desktop < Math.round(end)) return site
  }
  return sites.at(-1)! // shares add up to 1, or a little less
}
