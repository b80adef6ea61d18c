// Holds the rows of the vendor's coding agent, one for each of its settings; `agents.ts` has those of other makers.

import { vendor } from '../../vendor.ts'
import { defineClients, type HelperClient } from '../client.ts'
import { mcpHeaders } from './agents.ts'

/** The variable for the interval of otelHeadersHelper, in milliseconds. */
export const otelHeadersIntervalVariable = `${vendor.agentPrefix}_OTEL_HEADERS_HELPER_DEBOUNCE_MS`

/** The variable for the interval of proxyAuthHelper, in milliseconds. */
export const proxyAuthIntervalVariable = `${vendor.agentPrefix}_PROXY_AUTH_HELPER_TTL_MS`

/**
 * `apiKeyHelper` in the settings of a coding agent. Seen in public issues about it: it is run again after five minutes, which a
 * variable changes. Not verified: `/bin/sh` runs it as a command; what it prints is sent as `X-Api-Key` and as a bearer token; it
 * is run again after a 401; past ten seconds the agent shows a notice. It is not known what the agent does with stderr.
 */
const apiKeyHelper: HelperClient = {
  title: 'a coding agent with apiKeyHelper',
  format: 'token',
  start: 'shell-line',
  context: 'not-told',
  stdin: 'at-its-end',
  waiting: { noticeSec: 10 },
  refresh: {
    intervalSec: 300,
    intervalSetting: vendor.keyHelperTtlVariable,
    afterRefusal: 'repeat',
    keptFor: 'session',
  },
  sentAs: ['x-api-key', 'bearer'],
  headers: 'not-taken',
  stderrOnSuccess: 'dropped',
  hosts: 'one-server',
  entries: 'one',
}

/** The helpers of the vendor's coding agent, by its setting. */
export const agentHelpers = defineClients({
  'api-key-helper': apiKeyHelper,
  /**
   * `headersHelper` of an MCP server in the settings of the same agent. Described in public issues about it: one JSON object of
   * texts, which wins over `headers`; the variables name the server. Not verified: that a shell reads the line, ten seconds, and
   * that it runs when the agent connects and again after a 401.
   */
  'headers-helper': {
    ...apiKeyHelper,
    title: 'a coding agent with headersHelper',
    format: 'headers-json',
    variables: { [`${vendor.agentPrefix}_MCP_SERVER_NAME`]: '', [`${vendor.agentPrefix}_MCP_SERVER_URL`]: '' },
    waiting: { timeoutSec: 10 },
    refresh: { afterRefusal: 'repeat', keptFor: 'session' },
    sentAs: ['headers'],
    headers: 'sent',
    reservedHeaders: mcpHeaders,
    entries: 'named',
  },
  /**
   * `otelHeadersHelper` of the same agent: the path of a script that prints one JSON object of texts for its telemetry. Described by
   * programs that configure it: it runs at the start and every 29 minutes. Not verified: 30 seconds, and that nothing follows a 401.
   */
  'otel-headers-helper': {
    ...apiKeyHelper,
    title: 'a coding agent with otelHeadersHelper',
    format: 'headers-json',
    start: 'path',
    waiting: { timeoutSec: 30 },
    refresh: {
      intervalSec: 1740,
      intervalSetting: otelHeadersIntervalVariable,
      afterRefusal: 'nothing',
      keptFor: 'session',
    },
    sentAs: ['headers'],
    headers: 'sent',
  },
  /**
   * `proxyAuthHelper` of the same agent: the value of `Proxy-Authorization`. Described by others who read a published build: it is
   * kept for five minutes, which a variable changes, and where a run fails the last value is sent. Not verified: that it runs again
   * after a 407, and how long it may take.
   */
  'proxy-auth-helper': {
    ...apiKeyHelper,
    title: 'a coding agent with proxyAuthHelper',
    format: 'proxy-authorization',
    variables: { [`${vendor.agentPrefix}_PROXY_URL`]: '', [`${vendor.agentPrefix}_PROXY_HOST`]: '' },
    waiting: {},
    refresh: {
      intervalSec: 300,
      intervalSetting: proxyAuthIntervalVariable,
      afterRefusal: 'repeat',
      keptFor: 'session',
    },
    sentAs: ['proxy-authorization'],
  },
  /**
   * `awsCredentialExport` of the same agent: the keys of an AWS identity, as AWS STS answers them. Described in its documentation of
   * Amazon Bedrock. Not verified: that it keeps them for an hour whatever end they state, and that a refusal runs it again.
   */
  'aws-credential-export': {
    ...apiKeyHelper,
    title: 'a coding agent with awsCredentialExport',
    format: 'sts-credentials',
    waiting: {},
    refresh: { intervalSec: 3600, afterRefusal: 'next-request', keptFor: 'session' },
    sentAs: ['signature'],
    hosts: 'any',
  },
})
