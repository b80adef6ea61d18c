import type { BuiltDocument } from './build-documents.ts'
import { createRelations } from './group-combinations.ts'
import { compareTrees, type PatchConflict } from './merge-patch.ts'
import type { RolloutSource } from './read-rollout.ts'
import { createRolloutFinding, type Rollout, type RolloutFinding, type RolloutGroup, rolloutFile } from './rollout.ts'

/**
 * Finds groups without possible members, groups that do not name the issuer of their tokens, groups that contradict each other without an
 * order, and overlays that undo each other.
 * @param issuers The issuers that the rules of the policy let pass, as groups name them; `undefined` without a policy.
 */
export function validateGroups(
  source: Groups,
  documents: readonly BuiltDocument[],
  issuers: readonly string[] | undefined,
): RolloutFinding[] {
  const { groups } = source.rollout
  return [
    ...validateIssuers(groups, issuers),
    ...(documents.length === 0 ? [] : groups.flatMap((group, index) => validateHiddenGroup(group, index, documents))),
    ...validateOrder(source, documents),
    ...groups.flatMap((group) => validateOverlays(group, source)),
  ]
}

type Groups = RolloutSource & { readonly rollout: Rollout }

/** Without a policy, a group without an issuer is suspicious if another group names one. */
function validateIssuers(groups: readonly RolloutGroup[], issuers: readonly string[] | undefined): RolloutFinding[] {
  const isOpen = issuers ? issuers.length > 1 : groups.some(({ issuer }) => issuer !== undefined)
  return groups.flatMap(({ issuer }, index) => {
    const position = { file: rolloutFile, path: `groups[${index}].${issuer === undefined ? 'name' : 'issuer'}` }
    if (issuer === undefined && isOpen) return [reportAnyIssuer(position, issuers)]
    if (issuer !== undefined && issuers?.includes(issuer) === false)
      return [
        createRolloutFinding(
          'issuer-untrusted',
          position,
          'no rule of the policy lets the tokens of this issuer pass, so that nobody is in the group',
          `correct it; the policy lets these pass: ${issuers.join(', ')}`,
        ),
      ]
    return []
  })
}

function reportAnyIssuer(
  position: { readonly file: string; readonly path: string },
  issuers: readonly string[] | undefined,
): RolloutFinding {
  const why = issuers ? `the policy lets ${issuers.length} issuers pass` : 'other groups name an issuer'
  return createRolloutFinding(
    'issuer-missing',
    position,
    `it has no issuer, and ${why}: whoever has these claims by any of them is in it`,
    'name the issuer whose claims are meant, or aws',
  )
}

function validateHiddenGroup(
  { name }: RolloutGroup,
  index: number,
  documents: readonly BuiltDocument[],
): RolloutFinding[] {
  if (documents.some(({ groups }) => groups.includes(name))) return []
  return [
    createRolloutFinding(
      'group-hidden',
      { file: rolloutFile, path: `groups[${index}].name` },
      'nobody gets its overlays: everybody in it is in a group of the same choice that takes precedence',
      'give it a higher precedence, or remove it',
    ),
  ]
}

/** Two groups need an order if they can have a common member, and the order changes that member's document. */
function validateOrder({ rollout, trees }: Groups, documents: readonly BuiltDocument[]): RolloutFinding[] {
  const { isApart } = createRelations(rollout)
  const together = listPairs(documents)
  return rollout.groups.flatMap((group, index) =>
    rollout.groups.slice(0, index).flatMap((other) => {
      if (isOrdered(group, other) || isApart(group, other)) return []
      if (group.choice !== undefined && group.choice === other.choice)
        return [reportUnordered(index, other, 'their choice gives a person one of them')]
      // If there are no documents, there were too many combinations, and every pair is possible.
      if (documents.length > 0 && !together.has(toPair(group, other))) return []
      const conflict = findConflict(group, other, trees)
      if (!conflict) return []
      const { first, second, path } = conflict
      return [
        reportUnordered(
          index,
          other,
          `${second.file} line ${second.line} and ${first.file} line ${first.line} set ${path || 'the document'} differently`,
        ),
      ]
    }),
  )
}

function listPairs(documents: readonly BuiltDocument[]): ReadonlySet<string> {
  const pairs = documents.flatMap(({ combination }) =>
    combination.flatMap((group) => combination.map((other) => toPair(group, other))),
  )
  return new Set(pairs)
}

function isOrdered({ precedence: a }: RolloutGroup, { precedence: b }: RolloutGroup): boolean {
  return a !== undefined && b !== undefined && a !== b
}

function toPair(a: RolloutGroup, b: RolloutGroup): string {
  return [a.name, b.name].toSorted().join(' ')
}

function reportUnordered(index: number, { name }: RolloutGroup, why: string): RolloutFinding {
  return createRolloutFinding(
    'groups-overlap-unordered',
    { file: rolloutFile, path: `groups[${index}].name` },
    `a person can be in this group and in ${name}, and nothing says which takes precedence: ${why}`,
    'give both a precedence, or name in "singleValued" the claim that a person has one value of',
  )
}

function findConflict(
  group: RolloutGroup,
  other: RolloutGroup,
  trees: RolloutSource['trees'],
): PatchConflict | undefined {
  for (const one of group.overlays) {
    for (const two of other.overlays) {
      const [conflict] = one === two ? [] : compareTrees(trees.get(one)!, trees.get(two)!)
      if (conflict) return conflict
    }
  }
  return undefined
}

/** Finds values that a later overlay of the same group sets again, so that they have no effect. */
function validateOverlays({ overlays }: RolloutGroup, { trees }: Groups): RolloutFinding[] {
  return overlays.flatMap((name, index) =>
    overlays
      .slice(index + 1)
      .flatMap((later) =>
        (later === name ? [] : compareTrees(trees.get(name)!, trees.get(later)!)).map(({ path, first, second }) =>
          createRolloutFinding(
            'value-overridden',
            { path, ...first },
            `${second.file} line ${second.line} sets it differently for the same people, and counts`,
            'remove one of the two',
          ),
        ),
      ),
  )
}
