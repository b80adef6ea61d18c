import { apiPaths } from '../../contract/http-api.ts'
import { isPlainLoopback } from '../../runtime/network/addresses.ts'
import { locateFindings } from '../../runtime/values/position.ts'
import { compareSeverity, createFinding, type Finding } from '../finding.ts'
import type { ReadResult } from '../read/read-document.ts'
import { helperScriptRules } from './helper-script.ts'
import { inferenceRules, oidcRules } from './inference.ts'
import { releaseRules, toReleaseAdvice } from './release.ts'
import { type DocumentCheckOptions, type DocumentRule, reportMissing, toCredentialPath, toSubject } from './rule.ts'

/** Lists all findings about a document, from reading it and from the rules that compare its fields; the worst first. */
export function checkDocument(result: ReadResult, options: DocumentCheckOptions = {}): Finding[] {
  const subject = toSubject(result, options)
  const found = subject ? rules.flatMap((rule) => rule(subject)) : []
  const read = result.findings.flatMap((finding) => toReleaseAdvice(finding, result, options))
  return sortFindings([...read, ...locateFindings(found, result.positions)])
}

/** Sorts findings with the worst first. Findings of one severity keep their order. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => compareSeverity(a.severity, b.severity))
}

/** Rules about the address of the gateway. */
const baseUrlRules: readonly DocumentRule[] = [
  function validateBaseUrl(subject) {
    const { inference } = subject
    if (inference.provider !== 'gateway' || inference.baseUrl !== undefined) return []
    return reportMissing(
      subject,
      'inference.baseUrl',
      'the gateway has no address',
      'set it to the full URL of the gateway',
    )
  },

  function validateBaseUrlScheme({ inference, spell }) {
    const url = inference.baseUrl ? new URL(inference.baseUrl) : undefined
    if (url?.protocol !== 'http:' || isPlainLoopback(url)) return []
    return [
      createFinding(
        'insecure-base-url',
        spell('inference.baseUrl'),
        'the credential travels unencrypted',
        'use https://',
      ),
    ]
  },

  function validateBaseUrlQuery({ inference, spell }) {
    const [beforeFragment = '', fragment] = inference.baseUrl?.split('#') ?? []
    const parts = [beforeFragment.includes('?') && 'a query', fragment !== undefined && 'a fragment'].filter(Boolean)
    if (parts.length === 0) return []
    return [
      createFinding(
        'base-url-query',
        spell('inference.baseUrl'),
        `it has ${parts.join(' and ')}, and clients put the path of each request behind it`,
        'end it with the path, and send what the gateway needs as a header (customHeaders)',
      ),
    ]
  },

  function validateBaseUrlPath({ inference, spell }) {
    const [end] = /\/v1(\/messages)?(?=\/*$)/.exec(inference.baseUrl ? new URL(inference.baseUrl).pathname : '') ?? []
    if (end === undefined) return []
    return [
      createFinding(
        'base-url-api-path',
        spell('inference.baseUrl'),
        `it ends with ${end}, so requests go to …${end}${apiPaths.messages}`,
        `remove ${end} from its end`,
      ),
    ]
  },
]

const centuryMs = 100 * 365.25 * 24 * 60 * 60 * 1000

/** Rules about the time at which clients fetch the document again. */
const expiryRules: readonly DocumentRule[] = [
  function validateExpiry({ document: { expiresAt }, now }) {
    if (expiresAt === undefined || now === undefined) return []
    if (expiresAt <= now) {
      const hint = 'set it to a time to come, in seconds or milliseconds since 1970, or remove it'
      return [
        createFinding(
          'expired',
          'expiresAt',
          'the time has passed, so the document is due again as soon as it is read',
          hint,
        ),
      ]
    }
    if (expiresAt <= now + centuryMs) return []
    return [
      createFinding(
        'expires-late',
        'expiresAt',
        'the time is more than a century away, so clients never fetch a newer document',
        'write it in seconds or milliseconds since 1970, not in microseconds',
      ),
    ]
  },
]

/** Rules about the hosts from which a sign-in may come back. */
const referrerHostRules: readonly DocumentRule[] = [
  function validateReferrerHosts({ inference: { credential }, spell }) {
    const hosts = credential && 'oidc' in credential ? credential.oidc?.additionalRedirectReferrerHosts : undefined
    const problem = hosts?.split(/\s+/).map(validateHost).find(Boolean)
    if (problem === undefined) return []
    const path = spell(toCredentialPath('oidc.additionalRedirectReferrerHosts'))
    return [createFinding('not-a-host', path, problem, 'write host names alone, with spaces between them')]
  },
]

/** Validates a referrer's host. The message does not contain the value. */
function validateHost(host: string): string | undefined {
  if (host === '' || /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*\.?$/i.test(host))
    return undefined
  if (/^\[[0-9a-f:.]+\]$/i.test(host)) return undefined
  return problems.find(([pattern]) => pattern.test(host))![1]
}

const problems: readonly [RegExp, string][] = [
  [/[,;]/, 'hosts are separated by commas or semicolons, so the client reads them as one'],
  [/^[a-z][a-z0-9+.-]*:\/\//i, 'it has a URL, and a host has no scheme'],
  [/[/?#]/, 'it has a path, which no host has'],
  [/\*/, 'it has a wildcard, which no client expands'],
  [/:\d+$/, 'it has a port, which no host name has'],
  [/./, 'it has characters that no host name has'],
]

const rules: readonly DocumentRule[] = [
  ...expiryRules,
  ...baseUrlRules,
  ...inferenceRules,
  ...helperScriptRules,
  ...oidcRules,
  ...referrerHostRules,
  ...releaseRules,
]
