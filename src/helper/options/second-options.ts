import { allowableHeaders } from '../../contract/headers.ts'

/**
 * The options of a second token, and of the header that some of them go into. None is part of the cache's key: the entry of the
 * first token serves runs with and without a second one.
 */
export const secondOptions = {
  'second-helper': {
    value: 'text',
    summary: 'the helper whose token a header may use as {second.token}, beside the token of this one',
    cacheKey: 'excluded',
  },
  'second-command': {
    value: 'list',
    summary: 'a program that prints the second token, in place of that helper: its path, then one argument at a time',
    cacheKey: 'excluded',
  },
  'second-option': {
    value: 'list',
    summary: "an option of the second token's helper, such as 'audience=https://gateway.example'; may be repeated",
    cacheKey: 'excluded',
  },
  'allow-header': {
    value: allowableHeaders,
    summary: 'a header that is refused otherwise, for a gateway that takes a credential in it',
    cacheKey: 'excluded',
  },
} as const

/** The options for telling operations of calls. Nothing is told unless one of the first two is set. */
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
