import { nestedSchemaVersion } from '../contract/served-document.ts'
import { type Combination, createRelations, listCombinations } from './group-combinations.ts'
import { applyPatch, isBranch, type JsonTree, type Origin, toSortedValue } from './merge-patch.ts'
import { digestFile } from './read-release-file.ts'
import type { RolloutSource } from './read-rollout.ts'
import { releaseLimits, toCombinationKey } from './release.ts'
import { createRolloutFinding, type Rollout, type RolloutFinding, rolloutFile } from './rollout.ts'

/** The document of one combination of groups. */
export interface BuiltDocument {
  readonly combination: Combination
  /** The names of the groups in alphabetical order. */
  readonly groups: readonly string[]
  readonly tree: JsonTree
  /** JSON in the nested form with sorted keys. It has no `expiresAt`, which each answer adds. */
  readonly text: string
  /** SHA-256 of the text. */
  readonly digest: string
}

/** Builds the document of every possible combination; no document if there are too many combinations. */
export function buildDocuments({ rollout, trees }: RolloutSource & { readonly rollout: Rollout }): BuiltRollout {
  const combinations = listCombinations(rollout, createRelations(rollout))
  if (!combinations) return { documents: [], findings: [reportTooMany()] }
  const seen = new Set<string>()
  const documents = combinations.map((combination) => buildDocument(combination, { rollout, trees, seen }))
  const named = [rollout.base, ...rollout.groups.flatMap(({ overlays }) => overlays)]
  const idle = [...new Set(named)].filter((name) => !seen.has(name))
  return { documents, findings: combinations.length === 0 ? [reportNobody()] : idle.map(reportIdle) }
}

interface Building {
  readonly rollout: Rollout
  readonly trees: RolloutSource['trees']
  /** Collects the files that contribute to a document. */
  readonly seen: Set<string>
}

/** The documents of a rollout, and the files that contribute to none of them. */
interface BuiltRollout {
  readonly documents: readonly BuiltDocument[]
  readonly findings: readonly RolloutFinding[]
}

/** Finds the document of these groups; `undefined` for an impossible combination. */
export function findDocument(
  documents: readonly BuiltDocument[],
  groups: readonly string[],
): BuiltDocument | undefined {
  const key = toCombinationKey(groups)
  return documents.find((document) => toCombinationKey(document.groups) === key)
}

function reportTooMany(): RolloutFinding {
  return createRolloutFinding(
    'combinations-too-many',
    { file: rolloutFile, path: 'groups' },
    `more than ${releaseLimits.combinations} combinations of these groups can occur`,
    'give groups of which a person is in one alone the same "choice", or name in "singleValued" the claims that have one value',
  )
}

function buildDocument(combination: Combination, { rollout, trees, seen }: Building): BuiltDocument {
  const overlays = combination.flatMap((group) => group.overlays)
  const observe = ({ file }: Origin) => void seen.add(file)
  const tree = overlays.reduce<JsonTree>(
    (merged, name) => applyPatch(merged, trees.get(name)!, observe),
    trees.get(rollout.base)!,
  )
  addFiles(tree, seen)
  const { $schema, expiresAt, ...settings } = toSortedValue(tree) as Record<string, unknown>
  const text = JSON.stringify({ $schemaVersion: nestedSchemaVersion, ...settings })
  const groups = combination.map(({ name }) => name).toSorted()
  return { combination, groups, tree, text, digest: digestFile(text) }
}

/** Adds the files from which the values of a tree come. */
function addFiles(tree: JsonTree, seen: Set<string>): void {
  if (!isBranch(tree) || tree.members.size === 0) seen.add(tree.origin.file)
  else for (const member of tree.members.values()) addFiles(member, seen)
}

function reportNobody(): RolloutFinding {
  return createRolloutFinding(
    'nobody-served',
    { file: rolloutFile, path: 'others' },
    'nobody gets a document',
    'add a group, or set "others" to "base"',
  )
}

function reportIdle(file: string): RolloutFinding {
  return createRolloutFinding(
    'overlay-without-effect',
    { file, path: '' },
    'nobody gets anything of it: other files remove or replace everything that it sets',
    'remove it, or change the precedence of the groups',
  )
}
