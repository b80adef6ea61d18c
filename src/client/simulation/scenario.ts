// Folder: simulations: the language of scenarios, playing them by a virtual clock, and the report.

import { type ConfigDocument, fromExpiryMs } from '../../config/document.ts'
import { parseDocument } from '../../config/read/read-document.ts'
import { renderNested } from '../../config/render/shapes.ts'
import { setIn, type Tree } from '../../config/set-in.ts'
import { parseDuration } from '../../runtime/values/duration.ts'

/**
 * Changes values of a document, which is validated again; returns the problem as text if it would be invalid. An `expiresAt` that is a
 * duration is relative to `now`, in epoch milliseconds.
 */
export function changeDocument(document: ConfigDocument, values: DocumentValues, now: number): ConfigDocument | string {
  const tree = JSON.parse(renderNested(document)) as Tree // renderNested returns an object
  for (const [path, value] of Object.entries(values)) setIn(tree, path.split('.'), toFieldValue(path, value, now))
  const { document: changed, findings } = parseDocument(Buffer.from(JSON.stringify(tree, withoutNull)))
  const problem = findings.find(({ severity }) => severity === 'error')
  if (problem || !changed) return `${problem?.path}: ${problem?.message}`
  return changed
}

function toFieldValue(path: string, value: unknown, now: number): unknown {
  const seconds = path === 'expiresAt' && typeof value === 'string' ? parseDuration(value) : undefined
  return seconds === undefined ? value : fromExpiryMs(now + seconds * 1000)
}

/** Replaces `null`, which unsets a value. */
function withoutNull(_: string, value: unknown): unknown {
  return value === null ? undefined : value
}

/** The steps of a client's day, in their order. */
export interface Scenario {
  readonly summary: string
  /** The kind of credential for a simulation without a document; `helper-script` if absent. */
  readonly kind?: SimulatedKind | undefined
  /** Whether a configuration server serves the document: a simulated one, unless there is a real one. */
  readonly isServed?: true
  /** Values that replace those of the document, by nested path; `null` unsets. `expiresAt` may be a duration after the start. */
  readonly document: DocumentValues
  readonly steps: readonly Step[]
}

/** The kinds that can be simulated without a document. */
export const simulatedKinds = ['helper-script', 'external-idp'] as const
export type SimulatedKind = (typeof simulatedKinds)[number]

/** Values of a document by nested path; `null` unsets one. */
export type DocumentValues = Readonly<Record<string, unknown>>

/** How often and for how long a step is repeated. */
export interface Repetition {
  readonly everySec: number
  readonly forSec: number
}

/** One line of a scenario. A step begins when the one before has ended; effects continue during later steps. */
export type Step =
  | { readonly type: 'start'; readonly windows: readonly number[] }
  | { readonly type: 'turn'; readonly windows: readonly number[]; readonly repeated?: Repetition }
  | { readonly type: 'scheduled-task'; readonly repeated?: Repetition }
  | { readonly type: 'wait' | 'sleep'; readonly forSec: number }
  | { readonly type: 'relaunch' | 'probe' | 'setup-test' }
  | { readonly type: 'revoke' | 'revoke-sign-in' }
  | { readonly type: 'person'; readonly is: PersonState }
  | { readonly type: 'document-changes'; readonly values: DocumentValues }
  | { readonly type: 'effect'; readonly effect: Effect; readonly forSec: number }

/** How the person at the client answers questions and reacts to sign-ins. */
export const personStates = ['agrees', 'declines', 'away'] as const
/** The person's reaction until a later step changes it. */
export type PersonState = (typeof personStates)[number]

/** The statuses with which a scenario can let the gateway answer for a while. */
export const failingStatuses = [401, 403, 429, 500, 503, 529] as const
type FailingStatus = (typeof failingStatuses)[number]

/** The statuses with which a scenario can let the configuration server answer for a while. */
export const serverStatuses = [401, 403, 503] as const
/** The status of every answer of the configuration server. */
export type ServerStatus = (typeof serverStatuses)[number]

/** A condition that is different for a while. */
export type Effect =
  | { readonly of: 'network' | 'provider' }
  /** The configuration server; without a status it is unreachable. */
  | { readonly of: 'server'; readonly status?: ServerStatus }
  | { readonly of: 'gateway'; readonly status: FailingStatus }
  | { readonly of: 'stream'; readonly silentSec: number }
  | { readonly of: 'helper'; readonly takesSec: number }

/** A scenario of one of the kinds, or all problems of its text. */
export type ParsedScenario<Kind> =
  | { readonly ok: true; readonly scenario: Kind }
  | { readonly ok: false; readonly problems: readonly ScenarioProblem[] }

/** A problem of a scenario and its line; without a line it concerns the whole scenario. */
export interface ScenarioProblem {
  readonly line?: number
  readonly message: string
}
