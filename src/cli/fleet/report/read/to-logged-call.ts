import { stageKinds } from '../../../../runtime/deadline.ts'
import { exitStatus, type FailureKind } from '../../../../runtime/failure.ts'
import { isRecord, type RawObject } from '../../../../runtime/json/json-value.ts'
import { type CallOutcome, tokenOrigins } from '../../../../runtime/outcome/call-outcome.ts'
import type { LoggedCall } from './logged-call.ts'

/**
 * An outcome, or a line of `--log-file`, as the report counts it. Releases of before and of later are read too, so members that
 * are not known are passed over; `undefined` for anything that is no call.
 */
export function toLoggedCall(value: RawObject): LoggedCall | undefined {
  return typeof value.program === 'string' ? fromLogLine(value) : fromOutcome(value)
}

function fromOutcome(value: RawObject): LoggedCall | undefined {
  const { time, helper, version, ms, outcome, context, origin, source, mintMs, late } = value
  if (!isMoment(time) || !isDuration(ms) || !isWord(helper) || !isWord(version) || !isOutcome(outcome)) return undefined
  return {
    ...{ time, helper, version, ms, outcome, count: 1 },
    context: isWord(context) ? context : 'unknown',
    origin: tokenOrigins.find((known) => known === origin),
    source: isWord(source) ? source : undefined,
    mintMs: isDuration(mintMs) ? mintMs : undefined,
    late: stageKinds.find((known) => known === late),
  }
}

/** `src/helper/record/render-record.ts` writes it. Its texts for people name files, hosts and profiles, and are not kept. */
function fromLogLine(line: RawObject): LoggedCall | undefined {
  const { time, program: helper, version, ms, status, context, source, served, stages, late, failure } = line
  const startedAt = typeof time === 'string' ? Date.parse(time) : undefined
  const outcome = status === 0 ? 'success' : isRecord(failure) ? failure.kind : undefined
  if (!isMoment(startedAt) || !isDuration(ms) || !isWord(helper) || !isWord(version) || !isOutcome(outcome)) {
    return undefined
  }
  return {
    ...{ time: startedAt, helper, version, ms, outcome, count: 1 },
    context: isWord(context) ? context : 'unknown',
    origin: toOrigin(served),
    source: isWord(source) ? source : undefined,
    mintMs: findMintMs(stages),
    late: stageKinds.find((known) => known === late),
  }
}

function toOrigin(served: unknown): CallOutcome['origin'] {
  if (served === 'cache' || served === 'mint') return served
  return typeof served === 'string' ? 'kept' : undefined
}

/** The stage in which a helper asks its source. */
const mintStage = 'getting a token'

function findMintMs(stages: unknown): number | undefined {
  const found: unknown = Array.isArray(stages) ? stages.find((stage) => stage?.stage === mintStage)?.ms : undefined
  return isDuration(found) ? found : undefined
}

const outcomes: readonly unknown[] = ['success', ...Object.keys(exitStatus)]

function isOutcome(value: unknown): value is 'success' | FailureKind {
  return outcomes.includes(value)
}

/** A name, a version or a word of a closed set: logs are foreign, and a longer text is none of these. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.+-]{1,64}$/.test(value)
}

/** The end of the year 9999. */
const lastMoment = 253_402_300_799_999

/** A time of a machine, in milliseconds since the epoch. */
export function isMoment(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= lastMoment
}

function isDuration(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}
