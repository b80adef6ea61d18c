import { parseClaimPath } from '../runtime/tokens/claim-path.ts'
import { isCoveredBy } from '../verify/policy/header-template.ts'
import { releaseLimits } from './release.ts'
import type { Rollout, RolloutGroup } from './rollout.ts'
import { compareRank } from './select-document.ts'

/** Groups that can have a person in common, the one that takes precedence last. */
export type Combination = readonly RolloutGroup[]

/**
 * Every combination of groups that can occur, or `undefined` if there are more than {@link releaseLimits} permits. A combination that
 * occurs is never left out; one is left out only if claims and patterns exclude it: by different issuers, by patterns without a common
 * text for a claim that has one value, or because everybody of one group is in another.
 */
export function listCombinations({ groups, others }: Rollout, relations: GroupRelations): Combination[] | undefined {
  const axes = groupByChoice(groups)
  const found: Combination[] = []
  let steps = 0
  const extend = (chosen: Combination, decided: readonly RolloutGroup[], index: number): boolean => {
    const axis = axes[index]
    if (!axis) {
      if (chosen.length > 0 || others === 'base') found.push(chosen)
      return found.length <= releaseLimits.combinations
    }
    const next = [...decided, ...axis]
    for (const option of [undefined, ...axis]) {
      steps += 1
      if (steps > maxSteps) return false
      const now = option ? [...chosen, option] : chosen
      if (!isPossible(now, next, relations)) continue
      if (!extend(now, next, index + 1)) return false
    }
    return true
  }
  const isWhole = extend([], [], 0)
  return isWhole ? found.map((combination) => combination.toSorted(compareRank)) : undefined
}

/** The relations of the groups of a rollout, as far as claims and patterns show them. */
interface GroupRelations {
  /** Whether no person can be in both. */
  isApart(a: RolloutGroup, b: RolloutGroup): boolean
  /** Whether everybody of `inner` is in `outer`. */
  isCovering(outer: RolloutGroup, inner: RolloutGroup): boolean
}

/** The number of steps after which a rollout counts as one with too many combinations. They take some seconds; our decision. */
const maxSteps = 1_000_000

/** The groups of each choice, and each other group by itself. */
function groupByChoice(groups: readonly RolloutGroup[]): RolloutGroup[][] {
  const choices = Map.groupBy(
    groups.filter(({ choice }) => choice !== undefined),
    ({ choice }) => choice,
  )
  return [...choices.values(), ...groups.filter(({ choice }) => choice === undefined).map((group) => [group])]
}

/** Whether somebody can be in exactly these groups of those that are decided. */
function isPossible(
  chosen: Combination,
  decided: readonly RolloutGroup[],
  { isApart, isCovering }: GroupRelations,
): boolean {
  const last = chosen.at(-1)
  if (last && chosen.some((other) => other !== last && isApart(other, last))) return false
  return decided.every((group) => {
    if (chosen.includes(group) || !chosen.some((inner) => isCovering(group, inner))) return true
    // Everybody of a chosen group is in this one too, so that only a group of its choice can be before it.
    return (
      group.choice !== undefined &&
      chosen.some((other) => other.choice === group.choice && compareRank(other, group) > 0)
    )
  })
}

/** Finds out how groups are related, and remembers it. */
export function createRelations({ singleValued, groups }: Pick<Rollout, 'singleValued' | 'groups'>): GroupRelations {
  const single = new Set(singleValued.map(toKey))
  const claims = new Map(groups.map((group) => [group, toClaims(group)]))
  const remember = (compute: (a: RolloutGroup, b: RolloutGroup) => boolean) => {
    const known = new Map<RolloutGroup, Map<RolloutGroup, boolean>>()
    return (a: RolloutGroup, b: RolloutGroup) => {
      const row = known.get(a) ?? new Map<RolloutGroup, boolean>()
      known.set(a, row)
      const value = row.get(b) ?? compute(a, b)
      row.set(b, value)
      return value
    }
  }
  return {
    isApart: remember((a, b) => {
      if (a.issuer !== undefined && b.issuer !== undefined && a.issuer !== b.issuer) return true
      const own = claims.get(a)!
      return [...claims.get(b)!].some(
        ([claim, patterns]) => single.has(claim) && own.has(claim) && !hasCommonText(own.get(claim)!, patterns),
      )
    }),
    isCovering: remember((outer, inner) => {
      if (outer === inner || (outer.issuer !== undefined && outer.issuer !== inner.issuer)) return false
      const own = claims.get(inner)!
      return [...claims.get(outer)!].every(([claim, patterns]) => {
        const narrow = own.get(claim)
        return narrow !== undefined && isCoveredBy(narrow, patterns)
      })
    }),
  }
}

/** The same claim can be written in several ways. */
function toKey(claim: string): string {
  return JSON.stringify(parseClaimPath(claim)?.names ?? claim)
}

function toClaims({ claims }: RolloutGroup): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(claims).map(([claim, patterns]) => [toKey(claim), patterns]))
}

function hasCommonText(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => hasOverlap(one, other)))
}

/** Whether some text matches both patterns, in which `*` stands for any text. */
function hasOverlap(a: string, b: string): boolean {
  // reached[j]: the part of `a` so far and the first j characters of `b` match a common text.
  let reached = Array.from({ length: b.length + 1 }, (_, length) => /^\**$/.test(b.slice(0, length)))
  for (const letter of a) {
    const next = [letter === '*' && reached[0]!]
    for (let at = 1; at <= b.length; at++) {
      const other = b[at - 1]!
      const isEither = letter === '*' || other === '*'
      next.push(isEither ? reached[at]! || next[at - 1]! : letter === other && reached[at - 1]!)
    }
    reached = next
  }
  return reached.at(-1)!
}
