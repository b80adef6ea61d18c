import { externalIdpSince, findConsent } from '../fields.ts'
import { createFinding } from '../finding.ts'
import type { FieldValue } from '../read/parse-fields.ts'
import { compareReleases } from '../release.ts'
import { findHelper } from './find-helper.ts'
import { findCredential, type Rule, type Subject, toCredentialPath } from './rule.ts'

/** Rules about what a client release or a reader ignores, and about consent. */
export const releaseRules: readonly Rule[] = [
  function validateRelease(subject) {
    const { result, clientVersion } = subject
    if (clientVersion === undefined) return []
    const newer = result.values.filter(
      (value) => isRead(value, subject) && compareReleases(findRelease(value), clientVersion) > 0,
    )
    return newer.map((value) => {
      const since = findRelease(value)
      return createFinding(
        'newer-than-client',
        value.path,
        `clients read this from ${since} on, and this one is ${clientVersion}`,
        `update the client to ${since}, ${describeAlternative(value, subject)}`,
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

/** Whether a client on the document's system reads the value; of an object its fields are looked at. */
function isRead({ field }: FieldValue, { os }: Subject): boolean {
  if (field.rule.type === 'object') return false
  return field.path !== toCredentialPath('commandWindows') || os === undefined || os === 'windows'
}

/** What an older client can use in place of the field. */
function describeAlternative({ field }: FieldValue, subject: Subject): string {
  const credential = findCredential(subject, 'helper-script')
  if (!credential || field.path !== toCredentialPath('args')) return 'or do without'
  const { os, helpers, spell } = subject
  const command = spell(toCredentialPath(os === 'windows' && credential.commandWindows ? 'commandWindows' : 'command'))
  const found = findHelper(credential, os, (name) => helpers?.has(name) ?? false)
  if (!found) return `or remove it and name a script in ${command} that runs the helper with its arguments`
  const name = found.args === credential.args ? '' : `, name ${found.name} itself in ${command}`
  return `or remove it${name} and set its options in a file or by variables: see ${found.name} --help`
}

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
