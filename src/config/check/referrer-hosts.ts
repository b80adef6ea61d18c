import { createFinding } from '../finding.ts'
import { type Rule, toCredentialPath } from './rule.ts'

/** Rules about the hosts from which a sign-in may come back. */
export const referrerHostRules: readonly Rule[] = [
  function validateReferrerHosts({ inference: { credential }, spell }) {
    const hosts = credential && 'oidc' in credential ? credential.oidc?.additionalRedirectReferrerHosts : undefined
    const problem = hosts?.split(/\s+/).map(findHostProblem).find(Boolean)
    if (problem === undefined) return []
    const path = spell(toCredentialPath('oidc.additionalRedirectReferrerHosts'))
    return [createFinding('not-a-host', path, problem, 'write host names alone, with spaces between them')]
  },
]

/** Why no referrer has this host, if so. The text does not contain the value. */
function findHostProblem(host: string): string | undefined {
  if (host === '' || /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?$/i.test(host))
    return undefined
  if (/^\[[0-9a-f:.]+\]$/i.test(host)) return undefined
  return problems.find(([pattern]) => pattern.test(host))![1]
}

const problems: readonly [RegExp, string][] = [
  [/[,;]/, 'hosts are separated by commas or semicolons, so the client reads them as one'],
  [/^[a-z][a-z0-9+.-]*:\/\//i, 'it has a URL, whose scheme is part of no host'],
  [/[/?#]/, 'it has a path, which is part of no host'],
  [/\*/, 'it has a wildcard, which no client expands'],
  [/:\d+$/, 'it has a port, which is part of no host name'],
  [/./, 'it has characters that are in no host name'],
]
