import { parseObject } from '../parse-object.ts'

/**
 * How many calls one line of a system's log stands for: those that one helper served from its cache, or those of which nothing
 * else is known. A log has a line of its own for every other call.
 */
export type CallCount =
  | {
      /** When the last of them started, in milliseconds since the epoch. */
      readonly time: number
      readonly helper: string
      readonly version: string
      readonly cached: number
    }
  | { readonly time: number; readonly lost: number }

/** A count as one line of JSON, without a line break. */
export function renderCallCount(count: CallCount): string {
  return JSON.stringify(count)
}

/** Reads such a line. @returns `undefined` for any other. */
export function parseCallCount(line: string): CallCount | undefined {
  const { time, helper, version, cached, lost, ...others } = parseObject(line) ?? {}
  if (!isCount(time) || Object.keys(others).length > 0) return undefined
  if (isCount(lost) && helper === undefined && version === undefined && cached === undefined) return { time, lost }
  if (!isCount(cached) || lost !== undefined || typeof helper !== 'string' || typeof version !== 'string')
    return undefined
  return { time, helper, version, cached }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
