/** The options of what operations are told of a call. Nothing is told where none of the first two is set. */
export const outcomeOptions = {
  'outcome-log': {
    value: ['none', 'system'],
    summary: "whether the system's log is told how calls end: the journal, the unified log or the Event Log",
    cacheKey: 'excluded',
  },
  'otlp-endpoint': {
    value: 'text',
    summary:
      'an OpenTelemetry collector that is told how calls end, by OTLP over HTTP, such as https://otel.example:4318',
    cacheKey: 'excluded',
  },
  'otlp-headers-file': {
    value: 'path',
    summary: "a file with headers for it, one 'Name: value' a line, such as its API key; only this user may read it",
    cacheKey: 'excluded',
  },
  'otlp-resource': {
    value: 'list',
    summary: "an attribute of this machine for it, such as 'deployment.environment.name=office'; may be repeated",
    cacheKey: 'excluded',
  },
} as const
