/** Hosts of AWS's access portals, and what the hosts of the others end with. AWS CLI 2.36, `sso/resolve.py`. */
const portalHosts = [
  'identitycenter.amazonaws.com',
  'identitycenter.amazonaws.com.cn',
  'identitycenter.amazonaws.eu',
  'identitycenter.us-gov.amazonaws.com',
]
const portalSuffixes = [
  'app.aws',
  'portal.amazonaws.com',
  'portal.amazonaws.com.cn',
  'app.amazonwebservices.com.cn',
  'portal.amazonaws.eu',
  'api.amazonwebservices.eu',
  'awsapps.com',
  'awsapps.cn',
]

/** Portals whose host has the region as its second or third label. */
const regionPatterns = [
  /^[^.]+\.portal\.(?<region>[a-z0-9-]+)\.(app\.aws|app\.amazonwebservices\.com\.cn|api\.amazonwebservices\.eu)$/,
  /^[^.]+\.(?<region>[a-z0-9-]+)\.portal\.(amazonaws\.com|amazonaws\.com\.cn|amazonaws\.eu)$/,
]

/** Whether a host is one of AWS's access portals. */
export function isPortalHost(host: string): boolean {
  const name = normalizeHost(host)
  return portalHosts.includes(name) || portalSuffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`))
}

/** The region that the host of a portal names; `undefined` where it names none. */
export function findPortalRegion(host: string): string | undefined {
  const name = normalizeHost(host)
  return regionPatterns.map((pattern) => pattern.exec(name)?.groups?.region).find((region) => region !== undefined)
}

function normalizeHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '')
}
