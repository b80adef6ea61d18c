// Folder: the configuration server: what an organization writes (a rollout), what is published of it (a release), and who gets which document.

import * as z from 'zod'
import { servedDocumentRules } from '../contract/served-document.ts'
import { policyLimits } from '../verify/policy/policy-limits.ts'

/**
 * A release folder, on a disk or copied from one:
 *
 * | file | what it is |
 * |---|---|
 * | `current.json` | the {@link Pointer}, signed: the only file that is ever replaced, at once |
 * | `manifests/DIGEST.json` | a {@link Manifest}, signed |
 * | `documents/DIGEST.json` | a document in the nested form |
 *
 * DIGEST is the SHA-256 of the bytes of the file, in hexadecimal. Files with such a name are written before anything names them, and
 * never changed; so a copy is whole if `current.json` is copied last. In a copy, the files may also lie side by side without folders.
 */
export const releaseFiles = {
  pointer: 'current.json',
  manifest: (digest: string) => `manifests/${digest}.json`,
  document: (digest: string) => `documents/${digest}.json`,
} as const

/** The bounds of what is read of a release, and of a rollout. Our decisions, unless a row names another source. */
export const releaseLimits = {
  pointerBytes: 64 * 1024,
  manifestBytes: 5 * 1024 * 1024,
  documentBytes: servedDocumentRules.answerBytes,
  /** Documents of one release, together. */
  totalBytes: 256 * 1024 * 1024,
  /** Combinations of groups, and so documents. */
  combinations: 4096,
  groups: 256,
  /** The highest precedence of a group; the lowest is as far below 0. */
  precedence: 1_000_000,
  overlays: 64,
  waves: 20,
  pilot: 10_000,
  releases: 100,
} as const

const text = z.string().min(1).max(policyLimits.textLength)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(1)

/** The name of a group, which stands in logs, metrics and tables. */
export const groupName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'expected a name of a-z, 0-9, dots and dashes')

/** The group with the higher number wins. */
export const precedence = z.int().min(-releaseLimits.precedence).max(releaseLimits.precedence)

/** The choices for people who are in no group. */
export const others = z.enum(['base', 'nothing'])

/** The part of the people, in percent, that each wave reaches. */
export const waveShares = z.array(z.number().gt(0).max(100)).min(1).max(releaseLimits.waves)

/** The waves of a rollout that names none. */
export const usualWaves: readonly number[] = [1, 10, 50, 100]

/** The people who are meant, by the claims of their identity, as a rule of the verifier's policy has them. */
const members = {
  issuer: text.optional(),
  claims: z.record(text, z.array(text.max(policyLimits.patternLength)).min(1).max(policyLimits.patterns)),
  choice: groupName.optional(),
  precedence: precedence.optional(),
}

const manifest = z.strictObject({
  type: z.literal('bootstrap-manifest'),
  format: z.literal(1),
  /** Differs between any two releases; the hash of a wave contains it. */
  id: z.string().regex(/^[0-9]{1,9}-[0-9a-f]{12}$/),
  /** Counts the releases of a folder; a release that is published later has a higher one. */
  counter: count,
  publishedAt: z.iso.datetime(),
  /** The manifest of the release before it, for those who do not get this one yet. */
  previous: digest.optional(),
  /** The claim that names a person: for logs, waves and the pilot. */
  subject: text,
  /** The document of people who are in no group. */
  others,
  groups: z.array(z.strictObject({ name: groupName, ...members })).max(releaseLimits.groups),
  /** The part of the people, in percent, that each wave reaches; ascending, and 100 at the end. */
  waves: waveShares,
  /** Digests of the people of the pilot, by the function that also gives a person's place in the waves. */
  pilot: z.array(digest).max(releaseLimits.pilot),
  /** The document of each combination, by the names of its groups in alphabetical order. */
  combinations: z
    .array(z.strictObject({ groups: z.array(groupName).max(releaseLimits.groups), document: digest }))
    .max(releaseLimits.combinations),
})

/** The signed description of one release. */
export type Manifest = z.infer<typeof manifest>

const pointer = z.strictObject({
  type: z.literal('bootstrap-pointer'),
  format: z.literal(1),
  /** Rises with every change, so that an older pointer, which is signed too, is recognized. */
  serial: count,
  /** The counter of the latest release that was ever published here, also after a `revert`. */
  releases: count,
  changedAt: z.iso.datetime(),
  manifest: digest,
  /** The number of the last wave that gets the release; 0: only the pilot. */
  wave: z.int().min(0).max(releaseLimits.waves),
  /** `halted`: nobody gets the release any more who does not have it. */
  state: z.enum(['advancing', 'halted']),
})

/** The signed state of a release folder: which release is served, and to which waves. */
export type Pointer = z.infer<typeof pointer>

/** The manifest in a parsed text; `undefined` for anything else. */
export function parseManifest(value: unknown): Manifest | undefined {
  const { data } = manifest.safeParse(value)
  if (data === undefined) return undefined
  const { waves, groups, combinations } = data
  const keys = combinations.map((combination) => toCombinationKey(combination.groups))
  const isUnique = new Set(keys).size === keys.length && new Set(groups.map(({ name }) => name)).size === groups.length
  return isRising(waves) && isUnique ? data : undefined
}

/** Whether waves grow, and the last one reaches everybody. */
export function isRising(waves: readonly number[]): boolean {
  return waves.at(-1) === 100 && waves.every((share, index) => share > (waves[index - 1] ?? 0))
}

/** The pointer in a parsed text; `undefined` for anything else. */
export function parsePointer(value: unknown): Pointer | undefined {
  return pointer.safeParse(value).data
}

/** Whether a release has reached everybody, so that the one before it is no longer served. */
export function isForEverybody(pointer: Pick<Pointer, 'wave' | 'state'>, { waves }: Pick<Manifest, 'waves'>): boolean {
  return pointer.state === 'advancing' && pointer.wave >= waves.length
}

/** The text by which a combination of groups is found, whatever their order. No name of a group has a comma. */
export function toCombinationKey(groups: readonly string[]): string {
  return groups.toSorted().join(',')
}
