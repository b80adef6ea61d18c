import { isMap, isScalar, type Node } from 'yaml'
import type { FleetProvider } from '../fleet-settings.ts'
import { isInvalid, rejectValue } from './invalid.ts'
import { type ParseNode, parseBounded, parseMapping, parseNumber, parseWords } from './parse-mapping.ts'
import { toSeconds } from './parse-moment.ts'

/** Parses what is known of the identity provider; what is left out is that of a quick one without a quota. */
export const parseProvider: ParseNode<FleetProvider> = (node, yaml) => {
  const values = parseMapping(node, yaml, {
    quota: parseNumber(1, 10_000_000),
    retryAfter: parseWords(toSeconds),
    latency: parseLatency,
  })
  if (isInvalid(values)) return values
  if (values.retryAfter !== undefined && values.quota === undefined)
    return rejectValue('retryAfter is said with a 429, which needs a quota')
  const { latency = defaultProvider.latency } = values
  return { quotaPerSec: values.quota, retryAfterSec: values.retryAfter, latency }
}

/** A provider that nothing is said of. */
export const defaultProvider: FleetProvider = {
  quotaPerSec: undefined,
  retryAfterSec: undefined,
  latency: [[0, 300]],
}

/** One duration, or a mapping from requests a second to durations. */
const parseLatency: ParseNode<FleetProvider['latency']> = (node, yaml) => {
  if (isScalar(node)) {
    const ms = parseMilliseconds(node, yaml)
    return isInvalid(ms) ? ms : [[0, ms]]
  }
  if (!isMap(node) || node.items.length === 0)
    return rejectValue('expected a duration such as 300ms, or durations by requests a second: {0: 200ms, 500: 2s}')
  const points = node.items.flatMap(({ key, value }) => {
    const perSec = parseBounded(isScalar(key) ? String(key.value) : '', 0, 10_000_000)
    const ms = parseMilliseconds(value as Node, yaml)
    for (const [place, parsed] of [[key, perSec] as const, [value ?? key, ms] as const])
      if (isInvalid(parsed)) yaml.refuse(place as Node, parsed.problem)
    return isInvalid(perSec) || isInvalid(ms) ? [] : [[perSec, ms] as const]
  })
  return points.toSorted(([a], [b]) => a - b)
}

const parseMilliseconds = parseWords((text) => {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)(ms|s)$/.exec(text) ?? []
  if (number === undefined) return rejectValue(`${JSON.stringify(text)} is not a time to answer; write 300ms or 1.5s`)
  return Number(number) * (unit === 's' ? 1000 : 1)
})
