import { hash } from 'node:crypto'
import { findClaim, parseClaimPath, toClaimText } from '../runtime/tokens/claim-path.ts'
import { isConditionMet } from '../verify/policy/match-rules.ts'
import type { Identity } from '../verify/verdict.ts'
import type { LoadedGroup, LoadedRelease, OpenRelease, ReleasedDocument } from './open-release.ts'
import { toCombinationKey } from './release.ts'

/** The part of an identity that determines its document. */
export type Member = Pick<Identity, 'kind' | 'issuer' | 'subject' | 'claims'>

/** The document of one person, or the reason why this person gets no document. */
export type Selection =
  | {
      readonly outcome: 'document'
      readonly document: ReleasedDocument
      /** The release that the document belongs to. */
      readonly release: LoadedRelease
      /** The person's subject, for the audit and for spreading `expiresAt`. */
      readonly subject: string
      /** The names of the groups whose overlays the document includes, in alphabetical order. */
      readonly groups: readonly string[]
      /** The person's wave in the current release: 0 is the pilot, and the first wave is 1. */
      readonly wave: number
      readonly why: SelectionReason
    }
  | {
      readonly outcome: 'nothing'
      /**
       * `no-subject`: the token lacks the claim that identifies a person. `not-entitled`: the person is in no group, and the rollout gives
       * others nothing. `unknown-combination`: the person is in groups that the rollout defines as disjoint.
       */
      readonly reason: 'no-subject' | 'not-entitled' | 'unknown-combination'
      readonly subject: string | undefined
      readonly groups: readonly string[]
      readonly release: LoadedRelease
    }

/**
 * `everybody`: the release has reached all, or is the first one. `pilot` and `wave`: it has reached this person. `not-yet`: it has not.
 * `halted`: it was halted before it reached this person.
 */
type SelectionReason = 'everybody' | 'pilot' | 'wave' | 'not-yet' | 'halted'

/**
 * Selects the document of a person with a valid token. The result depends only on the arguments, so that every replica gives the same
 * answer.
 * @param held The digest of the document that the client holds, from an `If-None-Match` with an `ETag` of ours. It matters while a release
 * is halted: a person whom the release has reached, but who still holds the earlier document, keeps it.
 */
export function selectDocument(open: OpenRelease, member: Member, held?: string): Selection {
  const { current, previous, pointer } = open
  const subject = findSubject(current.manifest.subject, member)
  if (subject === undefined) return toNothing('no-subject', current, { subject, groups: [] })
  const wave = computeWave(current, subject)
  if (!previous) return selectFrom(current, { member, subject, wave, why: 'everybody' })
  const isHalted = pointer.state === 'halted'
  const before = () => selectFrom(previous, { member, subject, wave, why: isHalted ? 'halted' : 'not-yet' })
  if (wave > pointer.wave) return before()
  const now = selectFrom(current, { member, subject, wave, why: wave === 0 ? 'pilot' : 'wave' })
  if (!isHalted || held === undefined || isOf(now, held)) return now
  const kept = before()
  return isOf(kept, held) ? kept : now
}

/** Selects the groups of a person, at most one for each choice. */
export function selectGroups(groups: readonly LoadedGroup[], member: Member): LoadedGroup[] {
  const matched = groups.filter((group) => isMember(group, member))
  return matched.filter((group) => !isOutranked(group, matched))
}

/** Returns whether another of these groups takes its place: of a choice, a person is in the group with precedence alone. */
export function isOutranked(
  group: Pick<LoadedGroup, 'choice' | 'name' | 'precedence'>,
  others: readonly Pick<LoadedGroup, 'choice' | 'name' | 'precedence'>[],
): boolean {
  return (
    group.choice !== undefined && others.some((other) => other.choice === group.choice && compareRank(other, group) > 0)
  )
}

/**
 * Compares the precedence of two groups: above 0 if the first one has it. Groups of equal precedence are compared by name, because there
 * must be an order.
 */
export function compareRank(
  a: Pick<LoadedGroup, 'name' | 'precedence'>,
  b: Pick<LoadedGroup, 'name' | 'precedence'>,
): number {
  return (a.precedence ?? 0) - (b.precedence ?? 0) || (a.name < b.name ? 1 : a.name > b.name ? -1 : 0)
}

/** Finds the text that identifies a person, from the claim that the release names; for an AWS identity, its ARN. */
export function findSubject(claimName: string, member: Member): string | undefined {
  const claim = parseClaimPath(claimName)
  const text = member.kind === 'aws-identity' ? member.subject : claim && toClaimText(findClaim(member.claims, claim))
  return text === undefined || text === '' || !text.isWellFormed() ? undefined : text
}

/** Computes the first wave that includes a person: 0 for the pilot, otherwise from 1. */
function computeWave({ manifest, pilot }: Pick<LoadedRelease, 'manifest' | 'pilot'>, subject: string): number {
  const digest = digestSubject(manifest.id, subject)
  if (pilot.has(digest)) return 0
  const percent = (Number.parseInt(digest.slice(0, 12), 16) / 2 ** 48) * 100
  return 1 + manifest.waves.findIndex((share) => percent < share)
}

/** Computes a person's position in the waves of a release, in hexadecimal: evenly distributed, and independent of other releases. */
export function digestSubject(releaseId: string, subject: string): string {
  return hash('sha256', `${releaseId}\n${subject}`, 'hex')
}

function isMember({ issuer, conditions }: LoadedGroup, { kind, claims, issuer: own }: Member): boolean {
  const isOfIssuer =
    issuer === 'aws' ? kind === 'aws-identity' : issuer === undefined || (kind !== 'aws-identity' && issuer === own)
  return isOfIssuer && conditions.every((condition) => isConditionMet(condition, claims))
}

interface Chosen {
  readonly member: Member
  readonly subject: string
  readonly wave: number
  readonly why: SelectionReason
}

function selectFrom(release: LoadedRelease, { member, ...chosen }: Chosen): Selection {
  const groups = selectGroups(release.groups, member)
    .map(({ name }) => name)
    .toSorted()
  const { subject } = chosen
  if (groups.length === 0 && release.manifest.others === 'nothing')
    return toNothing('not-entitled', release, { subject, groups })
  const document = release.documents.get(toCombinationKey(groups))
  if (!document) return toNothing('unknown-combination', release, { subject, groups })
  return { outcome: 'document', document, release, groups, ...chosen }
}

function toNothing(
  reason: (Selection & { outcome: 'nothing' })['reason'],
  release: LoadedRelease,
  { subject, groups }: { readonly subject: string | undefined; readonly groups: readonly string[] },
): Selection {
  return { outcome: 'nothing', reason, subject, groups, release }
}

function isOf(selection: Selection, held: string): boolean {
  return selection.outcome === 'document' && selection.document.digest === held
}
