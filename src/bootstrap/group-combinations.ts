import { isCoveredBy } from '../runtime/text/star-pattern.ts'
import { parseClaimPath } from '../runtime/tokens/claim-path.ts'
import { releaseLimits } from './release.ts'
import type { Rollout, RolloutGroup } from './rollout.ts'
import { compareRank, isOutranked } from './select-document.ts'

/** Groups that can have a member in common, in ascending precedence. */
export type Combination = readonly RolloutGroup[]

/**
 * Lists every possible combination of groups; `undefined` if there are more than {@link releaseLimits} permits. A combination is omitted
 * only if claims and patterns exclude it: by different issuers, by patterns without a common text for a single-valued claim, or because one
 * group includes another.
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

/** The relations between the groups of a rollout that claims and patterns prove. */
interface GroupRelations {
  /** Whether no person can be in both. */
  isApart(a: RolloutGroup, b: RolloutGroup): boolean
  /** Whether every member of `inner` is a member of `outer`. */
  isCovering(outer: RolloutGroup, inner: RolloutGroup): boolean
}

/** The most steps of the search, which take some seconds; beyond it, a rollout has too many combinations. Our decision. */
const maxSteps = 1_000_000

/** Groups the groups of each choice together, and leaves every other group alone. */
function groupByChoice(groups: readonly RolloutGroup[]): RolloutGroup[][] {
  const choices = Map.groupBy(
    groups.filter(({ choice }) => choice !== undefined),
    ({ choice }) => choice,
  )
  return [...choices.values(), ...groups.filter(({ choice }) => choice === undefined).map((group) => [group])]
}

/** Returns whether somebody can be in exactly these groups of those that are decided. */
function isPossible(
  chosen: Combination,
  decided: readonly RolloutGroup[],
  { isApart, isCovering }: GroupRelations,
): boolean {
  const last = chosen.at(-1)
  if (last && chosen.some((other) => other !== last && isApart(other, last))) return false
  return decided.every((group) => {
    if (chosen.includes(group) || !chosen.some((inner) => isCovering(group, inner))) return true
    // Every member of a chosen group is also in this group, so only a group of the same choice can have precedence.
    return isOutranked(group, chosen)
  })
}

/** Computes the relations between groups, and caches them. */
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
      const claimsOfA = claims.get(a)!
      return [...claims.get(b)!].some(
        ([claim, patterns]) =>
          single.has(claim) && claimsOfA.has(claim) && !hasCommonText(claimsOfA.get(claim)!, patterns),
      )
    }),
    isCovering: remember((outer, inner) => {
      if (outer === inner || (outer.issuer !== undefined && outer.issuer !== inner.issuer)) return false
      const claimsOfInner = claims.get(inner)!
      return [...claims.get(outer)!].every(([claim, patterns]) => {
        const narrow = claimsOfInner.get(claim)
        return narrow !== undefined && isCoveredBy(narrow, patterns)
      })
    }),
  }
}

/** Returns one key for a claim, which can be spelled in several ways. */
function toKey(claim: string): string {
  return JSON.stringify(parseClaimPath(claim)?.names ?? claim)
}

function toClaims({ claims }: RolloutGroup): ReadonlyMap<string, readonly string[]> {
  return new Map(Object.entries(claims).map(([claim, patterns]) => [toKey(claim), patterns]))
}

function hasCommonText(a: readonly string[], b: readonly string[]): boolean {
  return a.some((one) => b.some((other) => hasOverlap(one, other)))
}

/** Returns whether a text can match both patterns, in which `*` matches any text. */
function hasOverlap(a: string, b: string): boolean {
  // reached[j]: a text can match both the part of `a` so far and the first j characters of `b`.
  let reached = Array.from({ length: b.length + 1 }, (_, length) => /^\**$/.test(b.slice(0, length)))
  for (const letter of a) {
    const next = [letter === '*' && reached[0]!]
    for (let at = 1; at <= b.length; at++) {
      const other = b[at - 1]
      const isEither = letter === '*' || other === '*'
      next.push(isEither ? reached[at]! || next[at - 1]! : letter === other && reached[at - 1]!)
    }
    reached = next
  }
  return reached.at(-1)!
}
