// Prepares the documents of a verified release, so that each can be rendered for a person.

import { hash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { parseDocument } from '../../config/read/read-document.ts'
import { convertDocument } from '../../config/render/convert.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Secret } from '../../runtime/secret.ts'
import type { Claims } from '../../runtime/tokens/jwt.ts'
import { isObject, parseJson, type RawObject } from '../../runtime/values/json-value.ts'
import type { OpenRelease, ReleasedDocument } from '../open-release.ts'
import {
  listPersonalValues,
  type PersonalValue,
  renderPath,
  validatePersonalValues,
  withPersonalValues,
} from '../personal-values.ts'
import { releaseLimits } from '../release.ts'

/** The forms in which a server can answer. */
export const servedForms = ['nested', 'flat'] as const
export type ServedForm = (typeof servedForms)[number]

/**
 * The content of an answer: the document itself, or a decision, which is the name of the document, for a web server that serves the files
 * of the release itself.
 */
export type Delivery = 'document' | 'decision'

/** A release that can be served: each of its documents can be rendered for everybody who has the claims in it. */
export interface PreparedRelease {
  readonly open: OpenRelease
  /** The secrets that its documents may use, by name. */
  readonly secrets: ReadonlyMap<string, Secret>
  /**
   * Renders the document of one person.
   * @throws {HelperError} `not-configured` if the person lacks a claim in the document.
   */
  answer(document: ReleasedDocument, claims: Claims): RenderedDocument
}

/** A document for one person, without its `expiresAt`. */
export interface RenderedDocument {
  /** The quoted value of `ETag`. It depends on the values, not on the form, the order of keys or `expiresAt`. */
  readonly etag: string
  /** The JSON after its first brace. */
  readonly members: Uint8Array
}

/** Finds the digest of the released document in an entity tag of ours; `undefined` for any other text. */
export function findReleasedDigest(etag: string): string | undefined {
  return /^"([0-9a-f]{64})(?:\.[\w-]+)?"$/.exec(etag)?.[1]
}

interface PrepareSettings {
  readonly form: ServedForm
  readonly secrets: ReadonlyMap<string, Secret>
  readonly delivery: Delivery
}

/**
 * Prepares every document of a release.
 * @throws {HelperError} `refused` for a release with a document that nobody could get.
 */
export async function prepareRelease(open: OpenRelease, settings: PrepareSettings): Promise<PreparedRelease> {
  const { secrets } = settings
  const revealed = new Map(secrets.entries().map(([name, secret]) => [name, secret.reveal()]))
  const releases = [open.current, ...(open.previous ? [open.previous] : [])]
  const documents = releases.flatMap((release) => [...release.documents.values()])
  const prepared = new Map<string, PreparedDocument>()
  for (const document of documents) {
    await setImmediate() // lets pending requests be answered
    prepared.set(document.digest, prepareDocument(document, settings))
  }
  return {
    open,
    secrets,
    answer(document, claims) {
      const ready = prepared.get(document.digest)!
      if ('members' in ready) return ready
      const { value, values } = ready
      const filled = withPersonalValues(value, values, { claims, secrets: revealed })
      const digest = digestValue(filled.texts)
      const members = renderMembers(filled.document)
      refuseLength(document.digest, members)
      return { etag: `"${document.digest}.${digest}"`, members }
    },
  }
}

/** Computes the beginning of the SHA-256 of a value: 132 bits, enough to avoid collisions. */
export function digestValue(value: readonly string[]): string {
  return hash('sha256', JSON.stringify(value), 'base64url').slice(0, 22)
}

/** A document in the served form: complete, or with values to fill in. */
type PreparedDocument = RenderedDocument | { readonly value: RawObject; readonly values: readonly PersonalValue[] }

function prepareDocument(document: ReleasedDocument, { form, secrets, delivery }: PrepareSettings): PreparedDocument {
  const value = form === 'nested' ? document.value : toFlat(document)
  const values = listPersonalValues(value).toSorted(compareTexts)
  const [wrong] = validatePersonalValues(values, new Set(secrets.keys()))
  if (wrong)
    throw toUnservable(
      document.digest,
      `${wrong.path}: ${wrong.problem}`,
      'correct the overlay, or name the secret with --secret',
    )
  const [personal] = values
  if (delivery === 'decision' && personal)
    throw toUnservable(
      document.digest,
      `${renderPath(personal.path)} is filled in for each person, which no file can be`,
      'serve documents instead: without --decide',
    )
  const members = renderMembers(value)
  refuseLength(document.digest, members)
  return values.length > 0 ? { value, values } : { etag: `"${document.digest}"`, members }
}

/** Converts a document to the flat form. Values without a flat key would be lost, so they are refused. */
function toFlat({ bytes, digest }: ReleasedDocument): RawObject {
  const converted = convertDocument(parseDocument(bytes, { shape: 'nested' }), 'flat')
  const lost = converted?.findings.find(({ code }) => code === 'kept-aside' || code === 'not-exportable')
  const value = converted && parseJson(converted.content)
  if (lost !== undefined)
    throw toUnservable(digest, `${lost.path} has no key in the flat form`, 'serve the nested form: --form nested')
  if (isObject(value)) return value
  throw toUnservable(digest, 'it is not a document', 'publish the release again')
}

/** Compares by the text, so that both forms of a document have the same entity tag. */
function compareTexts(a: PersonalValue, b: PersonalValue): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0
}

/** Renders `{"a":1}` as `"a":1}`, so that a member can be prepended. */
function renderMembers(value: RawObject): Uint8Array {
  const { expiresAt: _, ...members } = value
  return Buffer.from(JSON.stringify(members).slice(1))
}

/** An upper bound for the length of `{"expiresAt":1234567890,`. */
const longestStart = 64

function refuseLength(digest: string, { length }: Uint8Array): void {
  const longest = releaseLimits.documentBytes
  if (length + longestStart <= longest) return
  throw toUnservable(digest, `it is longer than ${longest / 1024 / 1024} MiB`, 'publish a shorter one')
}

function toUnservable(digest: string, problem: string, hint: string): HelperError {
  return new HelperError('refused', `the document ${digest.slice(0, 12)} cannot be served: ${problem}`, hint)
}
