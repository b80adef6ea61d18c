import { compareReleases } from '../define-field.ts'
import { externalIdpSince, fields, findConsent } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import { kindField } from '../read/deprecations.ts'
import type { FieldValue } from '../read/parse-fields.ts'
import type { ReadResult } from '../read/read-document.ts'
import {
  type DocumentCheckOptions,
  type DocumentRule,
  findCredential,
  findDocumentHelper,
  type RuleSubject,
  toCredentialPath,
} from './rule.ts'

/** Rules about what a client release or a reader ignores, and about consent. */
export const releaseRules: readonly DocumentRule[] = [
  function validateRelease(subject) {
    const { result, clientVersion } = subject
    if (clientVersion === undefined) return []
    const newer = result.values.filter(
      (value) => isRead(value, subject) && compareReleases(selectRelease(value), clientVersion) > 0,
    )
    return newer.map((value) => {
      const since = selectRelease(value)
      const isValue = findNewerValue(value) !== undefined
      return createFinding(
        'newer-than-client',
        value.path,
        `clients read ${isValue ? `"${value.value}" here` : 'this'} from ${since} on, and this one is ${clientVersion}`,
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

/**
 * Lists the first release that reads each value of a document, by the path in the file. Objects are left out, because their fields count.
 */
export function listReleases({ values }: ReadResult): { readonly path: string; readonly release: string }[] {
  return values
    .filter(({ field, isImplied }) => field.rule.type !== 'object' && !isImplied)
    .map((value) => ({ path: value.path, release: selectRelease(value) }))
}

/**
 * Adapts a finding of reading to a release. It is dropped if the release does not read the replacement in its hint, because
 * `newer-than-client` would then advise to remove that.
 */
export function toReleaseAdvice(
  finding: Finding,
  result: ReadResult,
  { clientVersion }: DocumentCheckOptions,
): Finding[] {
  if (clientVersion === undefined) return [finding]
  const isRead = (since = '0') => compareReleases(since, clientVersion) <= 0
  switch (finding.code) {
    case 'deprecated-spelling':
      return isRead(findReplacementRelease(finding.path, result)) ? [finding] : []
    case 'kind-unset':
      // A client that does not read `kind` uses the kind of the only source.
      if (!isRead(kindField.since)) return []
      if (isRead(findImpliedRelease(result))) return [finding]
      return result.values.some(({ spelledAs }) => spelledAs) ? [{ ...finding, hint: 'set it to "interactive"' }] : []
    case 'kind-unset-two-sources':
      return [isRead(kindField.since) ? finding : { ...finding, hint: 'keep the fields of one of them alone' }]
    case 'other-kind':
      if (isRead(kindField.since) || hasNamedKind(result)) return [finding]
      return [{ ...finding, hint: 'keep the fields of one kind alone' }]
    default:
      return [finding]
  }
}

/** Finds the first release that reads the replacement of a deprecated spelling. */
function findReplacementRelease(path: string, { values }: ReadResult): string | undefined {
  const value = values.find((each) => each.path === path)
  const { deprecation } = value?.spelledAs ?? value?.field ?? {}
  return fields.find(({ flat }) => flat !== undefined && flat === deprecation)?.since ?? value?.field.since
}

/** Finds the first release that reads the implied kind, if it is newer than the field `kind`. */
function findImpliedRelease({ values }: ReadResult): string | undefined {
  return values.some(({ value, isImplied }) => isImplied && value === 'external-idp') ? externalIdpSince : undefined
}

function hasNamedKind({ values }: ReadResult): boolean {
  return values.some(({ field, isImplied }) => field === kindField && !isImplied)
}

/** Returns whether a client on the document's system reads the value. Objects do not count, because their fields are values too. */
function isRead(value: FieldValue, { os }: RuleSubject): boolean {
  const { field } = value
  if (field.rule.type === 'object' || value.isImplied) return false
  return field.path !== toCredentialPath('commandWindows') || os === undefined || os === 'windows'
}

/** Describes what an older client can use instead of the field. */
function describeAlternative({ field }: FieldValue, subject: RuleSubject): string {
  const credential = findCredential(subject, 'helper-script')
  if (!credential || field.path !== toCredentialPath('args')) return 'or do without'
  const { os, helpers, spell } = subject
  const command = spell(toCredentialPath(os === 'windows' && credential.commandWindows ? 'commandWindows' : 'command'))
  const found = findDocumentHelper(credential, os, (name) => helpers?.has(name) ?? false)
  if (!found) return `or remove it and name a script in ${command} that runs the helper with its arguments`
  const name = found.args === credential.args ? '' : `, name ${found.name} itself in ${command}`
  return `or remove it${name} and set its options in a file or by variables: see ${found.name} --help`
}

/** Finds the path of the field that needs consent, or of the object that holds it. */
function findConsentPath({ field, path }: FieldValue): string | undefined {
  const asks = findConsent(field)
  return asks && asks !== field ? path.slice(0, path.lastIndexOf('.')) : asks && path
}

/** Selects the first release that reads the field as spelled in the file. A kind may be newer than the field `kind`. */
function selectRelease(value: FieldValue): string {
  return findNewerValue(value) ?? (value.spelledAs ?? value.field).since ?? '0'
}

/** Finds the first release that reads this value, if it is newer than the field. */
function findNewerValue({ spelledAs, value }: FieldValue): string | undefined {
  return !spelledAs && value === 'external-idp' ? externalIdpSince : undefined
}
