import { externalIdpSince, findConsent } from '../fields.ts'
import { createFinding } from '../finding.ts'
import type { FieldValue } from '../read/parse-fields.ts'
import { compareReleases } from '../release.ts'
import type { Rule } from './rule.ts'

/** Rules about what a client release or a reader ignores, and about consent. */
export const releaseRules: readonly Rule[] = [
  function validateRelease({ result, clientVersion }) {
    if (clientVersion === undefined) return []
    const newer = result.values.filter(
      (value) => value.field.rule.type !== 'object' && compareReleases(findRelease(value), clientVersion) > 0,
    )
    return newer.map((value) => {
      const since = findRelease(value)
      return createFinding(
        'newer-than-client',
        value.path,
        `clients read this from ${since} on, and this one is ${clientVersion}`,
        `update the client to ${since}, or do without`,
      )
    })
  },

  function validateReader({ result, reader }) {
    const others = result.values.filter(
      ({ field }) => reader && field.availability !== 'both' && field.availability !== reader,
    )
    return others.map(({ field, path }) =>
      createFinding(
        'other-reader',
        path,
        `only the reader "${field.availability}" reads this`,
        'remove it from what this reader gets',
      ),
    )
  },

  function reportConsent({ result }) {
    const asked = new Set(result.values.flatMap((value) => findConsentPath(value) ?? []))
    if (asked.size === 0) return []
    return [
      createFinding(
        'consent-asked',
        '',
        `users are asked to agree before these take effect: ${[...asked].join(', ')}`,
        '',
      ),
    ]
  },
]

/** How the file spells what needs consent: the field, or the object that holds it. */
function findConsentPath({ field, path }: FieldValue): string | undefined {
  const asks = findConsent(field)
  return asks && asks !== field ? path.slice(0, path.lastIndexOf('.')) : asks && path
}

/** The release that reads the field as the file spells it; a kind may be newer than the field that names it. */
function findRelease({ field, spelledAs, value }: FieldValue): string {
  if (!spelledAs && value === 'external-idp') return externalIdpSince
  return (spelledAs ?? field).since ?? '0'
}
