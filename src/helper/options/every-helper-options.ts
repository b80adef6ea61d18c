// The options of every helper: for the call itself, for a second token, and for the outcomes of calls.

import { renewEarlyPercent } from '../../contract/freshness.ts'
import { allowableHeaders } from '../../contract/headers.ts'
import { clientDefaults, limits } from '../../contract/limits.ts'
import { outputFormats, serverFormats } from '../../contract/output-format.ts'
import type { Options, OptionTable } from './option-table.ts'

/**
 * The options of a second token, and of the header that holds it. None of them is part of the cache key, so that one entry of the first
 * token serves runs with and without a second one.
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

/** The options for sending the outcomes of calls. Nothing is sent unless one of the first two is set. */
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

/** The options of every helper, which the run itself applies. */
export const commonOptions = {
  'client-ttl': {
    value: 'seconds',
    default: clientDefaults.ttlSec,
    min: 1,
    summary: 'the ttlSec of the client: how long it keeps a token before it asks again',
    cacheKey: 'excluded',
  },
  'client-timeout': {
    value: 'seconds',
    default: clientDefaults.timeoutSec,
    min: 3,
    max: limits.timeoutSec,
    summary: 'the timeoutSec of the client: how long it waits; we end 2 seconds earlier',
    cacheKey: 'excluded',
  },
  header: { value: 'list', summary: "a header for every request, such as 'X-Team: {account}'; may be repeated" },
  ...secondOptions,
  format: {
    value: outputFormats,
    default: 'json',
    summary:
      'what to print: the document for the client, the bare token, header lines for curl, or what another client reads',
    cacheKey: 'excluded',
  },
  'no-headers': {
    value: 'flag',
    summary: 'print no headers, for a client that cannot send them',
    cacheKey: 'excluded',
  },
  'for-host': {
    value: 'list',
    summary: `a server that may get the token with the formats ${Object.keys(serverFormats).join(' and ')}, such as example.com or *.example.com:8443; may be repeated`,
    cacheKey: 'excluded',
  },
  'git-username': {
    value: 'text',
    summary: 'the user name beside the token with the format git, where the remote names none (default: oauth2)',
    cacheKey: 'excluded',
  },
  cache: {
    value: ['disk', 'keychain', 'none'],
    default: 'disk',
    summary:
      "where tokens are kept between runs: on disk, there sealed with a key of the system's keychain, or nowhere",
    cacheKey: 'excluded',
  },
  'renew-early': {
    value: 'number',
    default: renewEarlyPercent.default,
    min: 0,
    max: renewEarlyPercent.most,
    summary:
      'how early a cached token may be renewed, in percent of the time for which it is served; each machine has its own part of that, so that a fleet does not renew in one moment',
    cacheKey: 'excluded',
  },
  'suspect-repetition': {
    value: 'flag',
    summary:
      'take a second call by one process of the client for a refusal of its token, for a client that asks again after a refusal only',
    cacheKey: 'excluded',
  },
  'suspect-after': {
    value: 'number',
    min: 2,
    max: 50,
    summary:
      'get a new token where one process of the client asks so many times within ten seconds, at most once a minute, for a client that asks for each request',
    cacheKey: 'excluded',
  },
  'not-before': {
    value: 'instant',
    summary: 'cached tokens from before this date are not used, such as 2026-01-15T12:00:00Z',
    cacheKey: 'excluded',
  },
  proxy: {
    value: 'text',
    summary: 'the HTTP proxy for requests beyond this machine, such as http://proxy.example:3128',
    variables: ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY', 'http_proxy', 'HTTP_PROXY'],
    cacheKey: 'excluded',
  },
  'no-proxy': {
    value: 'text',
    summary: 'hosts that are reached without the proxy, such as .example,10.0.0.0/8',
    variables: ['no_proxy', 'NO_PROXY'],
    cacheKey: 'excluded',
  },
  ca: {
    value: 'path',
    summary: "a PEM file with certificate authorities to trust beside the system's",
    cacheKey: 'excluded',
  },
  'log-file': {
    value: 'path',
    summary: 'a file that gets one line of JSON for each call, without secrets',
    cacheKey: 'excluded',
  },
  ...outcomeOptions,
  'sign-in-hint': {
    value: 'text',
    maxLength: 300,
    only: "machine's file",
    summary: 'what people read in place of our hint where somebody has to sign in first (status 4)',
    cacheKey: 'excluded',
  },
  explain: {
    value: 'flag',
    only: 'command line',
    summary: 'say what would be used and why, and how long the token lives; never the token',
    cacheKey: 'excluded',
  },
  help: {
    value: 'flag',
    short: 'h',
    only: 'command line',
    summary: 'print this text; "--help all" names every option',
    cacheKey: 'excluded',
  },
  version: { value: 'flag', short: 'V', only: 'command line', summary: 'print the version', cacheKey: 'excluded' },
} as const satisfies OptionTable

/** The values of {@link commonOptions}. */
export type CommonOptions = Options<typeof commonOptions>
