import { parseObject } from '../../parse-object.ts'

/** What became of a request: `refused` ones must not be sent again, the others may be, later. */
export type MetricsAnswer =
  | { readonly state: 'taken' }
  | {
      readonly state: 'refused' | 'busy'
      /** The end of a sentence that begins with the collector. */
      readonly words: string
    }

/** Statuses after which a request is sent again later (OTLP specification, retryable response codes). */
const busyStatuses = new Set([429, 502, 503, 504])

/** Reads an answer to a request of so many points, by the rules of the OTLP specification; nothing of its text is repeated. */
export function parseMetricsAnswer(status: number, body: string, points: number): MetricsAnswer {
  if (busyStatuses.has(status)) return { state: 'busy', words: `cannot take metrics at the moment (HTTP ${status})` }
  if (status < 200 || status > 299) return { state: 'refused', words: `refused the metrics (HTTP ${status})` }
  // Some receivers answer with nothing at all. A page for a person comes from something else, such as the network of a hotel.
  if (body.trim() === '') return { state: 'taken' }
  const answer = parseObject(body)
  if (answer === undefined)
    return { state: 'refused', words: `answered with something else than OTLP (HTTP ${status})` }
  return countRejected(answer) < points
    ? { state: 'taken' }
    : { state: 'refused', words: 'rejected every point of the metrics' }
}

/** 64 bits are a text in this form, and some receivers write a number. */
function countRejected({ partialSuccess }: Record<string, unknown>): number {
  const { rejectedDataPoints } = Object(partialSuccess) as Record<string, unknown>
  const count = Number(rejectedDataPoints ?? 0)
  return Number.isFinite(count) ? count : 0
}
