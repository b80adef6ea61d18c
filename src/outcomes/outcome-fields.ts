import type { CallOutcome } from './call-outcome.ts'

/** Every member of an outcome, in the order in which pages list them. */
export const outcomeFields = {
  time: {
    journalField: 'GATEPASS_TIME',
    summary: 'when the process of the call started, in milliseconds since 1970',
  },
  helper: { attribute: 'gatepass.helper', journalField: 'GATEPASS_HELPER', summary: 'the helper' },
  version: { attribute: 'gatepass.version', journalField: 'GATEPASS_VERSION', summary: 'the version of Gatepass' },
  context: {
    attribute: 'gatepass.context',
    journalField: 'GATEPASS_CONTEXT',
    summary: 'why the client ran the helper, or `terminal` for a person, or `unknown`',
  },
  refresh: {
    attribute: 'gatepass.refresh',
    journalField: 'GATEPASS_REFRESH',
    summary:
      'what a call in `mid-session-refresh` was for: the gateway `refused` the token, or the ttl of its client had `expired`',
  },
  format: { attribute: 'gatepass.format', journalField: 'GATEPASS_FORMAT', summary: 'what was asked for: the format' },
  outcome: {
    attribute: 'gatepass.outcome',
    journalField: 'GATEPASS_OUTCOME',
    summary: '`success`, or the kind of the failure',
  },
  status: { attribute: 'process.exit.code', journalField: 'EXIT_STATUS', summary: 'the exit status' },
  ms: {
    journalField: 'GATEPASS_MS',
    summary: 'milliseconds from the start of the process to its output',
  },
  origin: {
    attribute: 'gatepass.token.origin',
    journalField: 'GATEPASS_ORIGIN',
    summary:
      'where the token came from: `cache`, `mint` (a new one), or `kept` (of the cache, because the source did not answer)',
  },
  source: {
    attribute: 'gatepass.source',
    journalField: 'GATEPASS_SOURCE',
    summary: 'the kind of source that the helper uses, such as `github-actions` or `aws-sso`',
  },
  mintMs: {
    journalField: 'GATEPASS_MINT_MS',
    summary: 'milliseconds that the source took',
  },
  late: {
    attribute: 'gatepass.late',
    journalField: 'GATEPASS_LATE',
    summary: 'what was waited for when the time of the call was over',
  },
} as const satisfies Readonly<Record<keyof CallOutcome, OutcomeField>>

/** One member of an outcome: its names in metrics and in the journal, and its meaning. */
interface OutcomeField {
  /**
   * The OTLP attribute; absent if a metric holds its values, or if it is not sent. Attributes without our prefix come from
   * OpenTelemetry's semantic conventions.
   */
  readonly attribute?: string
  /** The field of the journal, in capitals and underscores, as systemd requires. */
  readonly journalField: string
  /** Its meaning, as the end of a table row. */
  readonly summary: string
}
