import type { OtlpAttribute } from '../../runtime/network/otlp.ts'

/**
 * A request of OTLP in its JSON form (`ExportMetricsServiceRequest` of the protocol definition), as far as we write it: whole
 * numbers of 64 bits are texts, moments are nanoseconds since 1970.
 */
export interface MetricsRequest {
  readonly resourceMetrics: readonly {
    readonly resource: { readonly attributes: readonly OtlpAttribute[] }
    readonly scopeMetrics: readonly {
      readonly scope: { readonly name: string }
      readonly metrics: readonly Metric[]
    }[]
  }[]
}

/** A metric in OpenTelemetry's JSON encoding: a counter or a histogram. */
export type Metric = MetricNames &
  (
    | { readonly sum: { readonly isMonotonic: true; readonly dataPoints: readonly CountPoint[] } & Temporality }
    | { readonly histogram: { readonly dataPoints: readonly HistogramPoint[] } & Temporality }
  )

/** The texts of a metric for people. */
export interface MetricNames {
  readonly name: string
  readonly unit: string
  readonly description: string
}

/** The temporality of a metric. Each request counts only new calls (`AGGREGATION_TEMPORALITY_DELTA`), because no process of ours lasts. */
interface Temporality {
  readonly aggregationTemporality: 1
}

/** The attributes and the time of a point. */
export interface PointOrigin {
  readonly attributes: readonly OtlpAttribute[]
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
}

/** A point of a counter. Its number is a text, because JSON carries 64-bit integers as texts in OTLP. */
export interface CountPoint extends PointOrigin {
  readonly asInt: string
}

/** The point of a histogram, with the number of values between bounds: one count more than there are bounds. */
export interface HistogramPoint extends PointOrigin {
  readonly count: string
  readonly sum: number
  readonly bucketCounts: readonly string[]
  readonly explicitBounds: readonly number[]
}
