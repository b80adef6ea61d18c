// Folder: the configuration server: the files of an organization (a rollout), the published files (a release), and the choice of each person's document.

import * as z from 'zod'
import { servedDocumentRules } from '../contract/served-document.ts'
import { policyLimits } from '../verify/policy/policy-limits.ts'

/**
 * A release folder, on a disk or copied from one:
 *
 * | file | content |
 * |---|---|
 * | `current.json` | the {@link Pointer}, signed: the only file that is ever replaced, atomically |
 * | `manifests/DIGEST.json` | a {@link Manifest}, signed |
 * | `documents/DIGEST.json` | a document in the nested form |
 *
 * DIGEST is the SHA-256 of the file's bytes, in hexadecimal. Such files are written before another file names them, and never change; so a
 * copy is complete if `current.json` is copied last. In a copy, the files may also be side by side without folders.
 */
export const releaseFiles = {
  pointer: 'current.json',
  manifest: (digest: string) => `manifests/${digest}.json`,
  document: (digest: string) => `documents/${digest}.json`,
} as const

/** The limits for reading a release, and a rollout. Our decisions, unless a row names another source. */
export const releaseLimits = {
  pointerBytes: 64 * 1024,
  manifestBytes: 5 * 1024 * 1024,
  documentBytes: servedDocumentRules.answerBytes,
  /** All documents of one release together. */
  totalBytes: 256 * 1024 * 1024,
  /** Combinations of groups, each of which has one document. */
  combinations: 4096,
  groups: 256,
  /** The highest precedence of a group; its negative is the lowest. */
  precedence: 1_000_000,
  overlays: 64,
  waves: 20,
  pilot: 10_000,
  releases: 100,
} as const

const text = z.string().min(1).max(policyLimits.textLength)
const digest = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(1)

/** The name of a group, which appears in logs, metrics and tables. */
export const groupName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'expected a name of a-z, 0-9, dots and dashes')

/** The group with the higher number has precedence. */
export const precedence = z.int().min(-releaseLimits.precedence).max(releaseLimits.precedence)

/** The document of people who are in no group. */
export const others = z.enum(['base', 'nothing'])

/** The percentage of people that each wave reaches. */
export const waveShares = z.array(z.number().gt(0).max(100)).min(1).max(releaseLimits.waves)

/** The waves of a rollout that states none. */
export const usualWaves: readonly number[] = [1, 10, 50, 100]

/** The members of a group, by the claims of their identity, like a rule of the verifier's policy. */
const members = {
  issuer: text.optional(),
  claims: z.record(text, z.array(text.max(policyLimits.patternLength)).min(1).max(policyLimits.patterns)),
  choice: groupName.optional(),
  precedence: precedence.optional(),
}

const manifest = z.strictObject({
  type: z.literal('bootstrap-manifest'),
  format: z.literal(1),
  /** The id differs between any two releases; the hash that assigns people to waves includes it. */
  id: z.string().regex(/^[0-9]{1,9}-[0-9a-f]{12}$/),
  /** The number of a release in its folder; a later release has a higher one. */
  counter: count,
  publishedAt: z.iso.datetime(),
  /** The manifest of the release before it, for people who do not get this one yet. */
  previous: digest.optional(),
  /** The claim that identifies a person, for logs, waves and the pilot. */
  subject: text,
  /** Whether people in no group get a document. */
  others,
  groups: z.array(z.strictObject({ name: groupName, ...members })).max(releaseLimits.groups),
  /** The percentage of people that each wave reaches: ascending, and 100 at the end. */
  waves: waveShares,
  /** Digests of the pilot's people, by the function that also assigns people to waves. */
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
  /** The serial increases with every change, so that an older pointer, whose signature is valid too, is recognized. */
  serial: count,
  /** The counter of the latest release that was ever published here, even after a `revert`. */
  releases: count,
  changedAt: z.iso.datetime(),
  manifest: digest,
  /** The last wave that gets the release; 0 if only the pilot gets it. */
  wave: z.int().min(0).max(releaseLimits.waves),
  /** `halted`: nobody else gets the release. */
  state: z.enum(['advancing', 'halted']),
})

/** The signed state of a release folder: which release is served, and to which waves. */
export type Pointer = z.infer<typeof pointer>

/** Parses a manifest; `undefined` for anything else. */
export function parseManifest(value: unknown): Manifest | undefined {
  const { data } = manifest.safeParse(value)
  if (data === undefined) return undefined
  const { waves, groups, combinations } = data
  const keys = combinations.map((combination) => toCombinationKey(combination.groups))
  const isUnique = new Set(keys).size === keys.length && new Set(groups.map(({ name }) => name)).size === groups.length
  return isRising(waves) && isUnique ? data : undefined
}

/** Returns whether the shares of the waves increase, and the last one is everybody. */
export function isRising(waves: readonly number[]): boolean {
  return waves.at(-1) === 100 && waves.every((share, index) => share > (waves[index - 1] ?? 0))
}

/** Parses a pointer; `undefined` for anything else. */
export function parsePointer(value: unknown): Pointer | undefined {
  return pointer.safeParse(value).data
}

/** Returns whether a release has reached everybody, so that the one before it is no longer served. */
export function isForEverybody(pointer: Pick<Pointer, 'wave' | 'state'>, { waves }: Pick<Manifest, 'waves'>): boolean {
  return pointer.state === 'advancing' && pointer.wave >= waves.length
}

/** Returns the key of a combination of groups, independent of their order. Names of groups contain no comma. */
export function toCombinationKey(groups: readonly string[]): string {
  return groups.toSorted().join(',')
}
