// Requests to OpenTelemetry collectors over OTLP/HTTP, in its JSON form.

import type { SecretHeader } from '../secret.ts'
import { parseObject } from '../values/json-value.ts'

/** Creates the headers of a request: those that the collector requires, such as an API key, and the content type. */
export function createOtlpHeaders(required: readonly SecretHeader[]): Record<string, string> {
  const headers = required.map(([name, value]) => [name.toLowerCase(), value.reveal()])
  return { ...Object.fromEntries(headers), 'content-type': 'application/json' }
}

/** A collector's answer. `busy`: it wants the same request again later; `foreign`: no collector has answered. */
type OtlpAnswer =
  | { readonly state: 'busy' | 'refused' | 'foreign' }
  /** `rejected`: how many of the sent items it has not accepted all the same. */
  | { readonly state: 'taken'; readonly rejected: number }

/**
 * Parses an answer by the OTLP specification ("OTLP/HTTP Response"). Nothing of its text is repeated.
 * @param counter The member of `partialSuccess` that counts rejected items.
 */
export function parseOtlpAnswer(
  status: number,
  body: string,
  counter: 'rejectedDataPoints' | 'rejectedLogRecords' | 'rejectedSpans',
): OtlpAnswer {
  if ([429, 502, 503, 504].includes(status)) return { state: 'busy' }
  if (status < 200 || status > 299) return { state: 'refused' }
  // Some receivers answer with an empty body. A page for a person comes from another server, such as the portal of a hotel's network.
  const answer = body.trim() === '' ? {} : parseObject(body)
  if (!answer) return { state: 'foreign' }
  // The JSON form has 64-bit numbers as texts, and some receivers write numbers.
  const rejected = Number((Object(answer.partialSuccess) as Record<string, unknown>)[counter] ?? 0)
  return { state: 'taken', rejected: Number.isFinite(rejected) ? Math.max(0, Math.ceil(rejected)) : 0 }
}

/** Converts texts to attributes, such as those of a resource. */
export function toTextAttributes(texts: Readonly<Record<string, string>>): OtlpAttribute[] {
  return Object.entries(texts).map(([key, stringValue]) => ({ key, value: { stringValue } }))
}

/** An attribute of a resource, a point or a span in the JSON form. */
export interface OtlpAttribute {
  readonly key: string
  readonly value: { readonly stringValue: string } | { readonly intValue: string }
}
