import { externalIdpSince, findConsent } from '../fields.ts'
import { finding } from '../finding.ts'
import type { FieldValue } from '../read/apply.ts'
import { compareReleases } from '../release.ts'
import type { Rule } from './rule.ts'

/** What one client release or one reader does not read, and what users will be asked. */
export const releaseRules: readonly Rule[] = [
  function releaseReadsIt({ reading, clientVersion }) {
    if (clientVersion === undefined) return []
    const newer = reading.values.filter((value) => compareReleases(sinceOf(value), clientVersion) > 0)
    return newer.map((value) => {
      const since = sinceOf(value)
      return finding(
        'newer-than-client',
        value.path,
        `clients read this from ${since} on, and this one is ${clientVersion}`,
        `update the client to ${since}, or do without`,
      )
    })
  },

  function readerReadsIt({ reading, reader }) {
    const others = reading.values.filter(
      ({ field }) => reader && field.availability !== 'both' && field.availability !== reader,
    )
    return others.map(({ field, path }) =>
      finding(
        'other-reader',
        path,
        `only the reader "${field.availability}" reads this`,
        'remove it from what this reader gets',
      ),
    )
  },

  function consentIsAsked({ reading }) {
    const asked = new Set(reading.values.flatMap((value) => consentPath(value) ?? []))
    if (asked.size === 0) return []
    return [
      finding('consent-asked', '', `users are asked to agree before these take effect: ${[...asked].join(', ')}`, ''),
    ]
  },
]

/** How the file spells what needs consent: the field, or the object around it. */
function consentPath({ field, path }: FieldValue): string | undefined {
  const asks = findConsent(field)
  return asks && asks !== field ? path.slice(0, path.lastIndexOf('.')) : asks && path
}

/** The release that reads the field as the file spells it; a kind may be newer than the field that names it. */
function sinceOf({ field, spelledAs, value }: FieldValue): string {
  if (!spelledAs && value === 'external-idp') return externalIdpSince
  return (spelledAs ?? field).since ?? '0'
}
