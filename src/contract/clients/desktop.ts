// Holds the rows of the desktop client, one for each thing that it gets from a helper.

import { defineClients, type HelperClient } from '../client.ts'
import { clientDefaults, limits } from '../limits.ts'
import { mcpHeaders } from './agents.ts'

/**
 * The desktop client that the configuration document is for. Its rules are those of the contract (docs/contract.md); in the
 * middle of a session it waits less, and it can be told not to refresh (`limits.ts`).
 */
const desktop: HelperClient = {
  title: 'the desktop client',
  format: 'json',
  start: 'arguments',
  context: 'told',
  stdin: 'at-its-end',
  waiting: { timeoutSec: clientDefaults.timeoutSec, timeoutSetting: 'timeoutSec' },
  refresh: {
    intervalSec: clientDefaults.ttlSec,
    intervalSetting: 'ttlSec',
    afterRefusal: 'repeat',
    keptFor: 'session',
  },
  sentAs: ['bearer'],
  headers: 'sent',
  stdoutBytes: limits.stdoutBytes,
  stderrOnSuccess: 'warned',
  hosts: 'one-server',
  entries: 'one',
}

/**
 * Shared by the helpers that the desktop client runs beside that of its document: an absolute path and no arguments, one JSON
 * object of texts, which wins over the static headers. Documentation of the client's configuration, read in August 2026.
 */
const headersOfDesktop = {
  ...desktop,
  format: 'headers-json',
  start: 'path',
  context: 'not-told',
  sentAs: ['headers'],
  stderrOnSuccess: 'dropped',
} as const satisfies HelperClient

/** The helpers of the desktop client, by what it gets from each. */
export const desktopHelpers = defineClients({
  desktop,
  /**
   * `managedMcpServers[].headersHelper`: kept for `headersHelperTtlSec`; within a session it runs again
   * `headersHelperRefreshBufferSec` (60) before that has passed. Not verified: how long it may take, and what follows a 401.
   */
  'desktop-mcp': {
    ...headersOfDesktop,
    title: 'the desktop client for MCP servers',
    waiting: {},
    refresh: { intervalSec: 300, intervalSetting: 'headersHelperTtlSec', afterRefusal: 'nothing', keptFor: 'session' },
    reservedHeaders: mcpHeaders,
    entries: 'named',
  },
  /**
   * `otlpHeadersHelper`: kept for "a few minutes", which count as five here; a failure is not tried again for 30 seconds. The start of
   * a session waits two seconds for it, and goes on without its headers. If it fails, telemetry is sent without them.
   */
  'desktop-otlp': {
    ...headersOfDesktop,
    title: 'the desktop client for telemetry',
    waiting: {},
    refresh: { intervalSec: 300, afterRefusal: 'nothing', keptFor: 'session' },
  },
  /**
   * `bootstrapHeadersHelper`, for the server of its configuration. A 401 or 403 drops what it printed, so that the next fetch runs it
   * again. Not verified: how long that is kept otherwise, and how long a run may take.
   */
  'desktop-bootstrap': {
    ...headersOfDesktop,
    title: 'the desktop client for its configuration',
    waiting: {},
    refresh: { afterRefusal: 'next-request', keptFor: 'session' },
  },
})
