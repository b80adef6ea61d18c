// Declares a row of `clients.ts`, how one client runs helpers, and answers questions about a row.

import { formatFacts, type OutputFormat } from './output-format.ts'

/** Gives rows of clients back, so that each of them has the type of one. */
export function defineClients<Name extends string>(
  rows: Readonly<Record<Name, HelperClient>>,
): Readonly<Record<Name, HelperClient>> {
  return rows
}

/** Returns whether the client tells a helper why it runs, with the contexts of the desktop client. */
export function isContextTold({ context }: HelperClient): boolean {
  return context === 'told'
}

/** Returns whether the client asks for a credential for a server, which it names on stdin. */
export function hasRequest({ format }: HelperClient): boolean {
  return formatFacts[format].actions !== undefined
}

/** Returns whether the client also tells a helper what to store and what to erase, as Git does. */
export function hasOperations({ format }: HelperClient): boolean {
  return formatFacts[format].actions?.includes('erase') === true
}

/** Returns whether the client reads the desktop client's document; docs/contract.md has its rules. */
export function hasDocument({ format }: HelperClient): boolean {
  return format === 'json'
}

/** Returns whether the helper prints a token for a request, not keys that sign one. */
export function hasToken({ sentAs }: HelperClient): boolean {
  return !sentAs.includes('signature')
}

/** Returns whether the client reads the expiry from the output. */
export function isEndRead({ format }: HelperClient): boolean {
  return formatFacts[format].renewedBeforeSec !== undefined
}

/**
 * Finds how many seconds before that expiry the client runs the helper again; `undefined` if it reads no expiry, or runs the helper for
 * each request.
 */
export function findRenewedBeforeSec({ format, refresh }: HelperClient): number | undefined {
  return refresh.keptFor === 'request' ? undefined : formatFacts[format].renewedBeforeSec
}

/** The format that a client reads on stdout, which is also the value of a helper's `--format`. */
export type ClientFormat = Exclude<OutputFormat, 'headers'>

/**
 * How a client's configuration names the program. `arguments`: a path and a list of arguments. `words`: one line that the client splits
 * itself, without a shell. `shell-line`: one line for a shell. `path`: a path without arguments.
 */
type StartForm = 'arguments' | 'words' | 'shell-line' | 'path'

/** How the credential is sent to the server. */
type SentAs = 'bearer' | 'x-api-key' | 'basic' | 'signature' | 'headers' | 'proxy-authorization'

/**
 * The reaction of a client after its server refused the credential (401). `repeat`: it runs the helper again and repeats the request.
 * `next-request`: it runs the helper again, and the request is lost. `erase`: it tells the helper to erase the credential, and the request
 * is lost. `nothing`: it continues with the same credential.
 */
export type AfterRefusal = 'repeat' | 'next-request' | 'erase' | 'nothing'

/** When a client runs its helper again. */
interface RefreshHabit {
  /** The client runs the helper again after this many seconds, whatever expiry the credential states; absent without an interval. */
  readonly intervalSec?: number
  /** The setting of {@link intervalSec}, as the client spells it. */
  readonly intervalSetting?: string
  /** With an interval of 0 it runs the helper a second time only after a refusal, so a second run proves one. */
  readonly onZeroInterval?: 'after-refusal'
  readonly afterRefusal: AfterRefusal
  /** How long the client keeps a credential: as long as it runs, or for one request. */
  readonly keptFor: 'session' | 'request'
}

/** How long a client waits for its helper. */
interface Waiting {
  /** The default limit; absent if the client waits forever. */
  readonly timeoutSec?: number
  /** The setting of {@link timeoutSec}, as the client spells it. */
  readonly timeoutSetting?: string
  /** After this time the client shows the person that the helper is slow. */
  readonly noticeSec?: number
}

/** The differences between the clients that run helpers. Each row names its sources. */
export interface HelperClient {
  /** The name in sentences, such as `Bazel`. */
  readonly title: string
  readonly format: ClientFormat
  readonly start: StartForm
  /** Whether the client tells a run its reason. If it does not, our helpers assume that no person can be asked. */
  readonly context: 'told' | 'not-told'
  /** Variables that the client adds to its own environment; empty where their value depends on its configuration. None is a secret. */
  readonly variables?: Readonly<Record<string, string>>
  /** The kind of stdin, unless the client sends a request on it. */
  readonly stdin: 'at-its-end' | 'inherited'
  readonly waiting: Waiting
  readonly refresh: RefreshHabit
  readonly sentAs: readonly SentAs[]
  /** Whether the client sends headers from a helper. */
  readonly headers: 'sent' | 'not-taken'
  /** The headers that it sets itself, in lower case, in addition to those that every client reserves (`headers.ts`). */
  readonly reservedHeaders?: readonly string[]
  /** The longest stdout that the client reads; absent without a limit. */
  readonly stdoutBytes?: number
  /** The use of stderr after a successful run: it is `dropped`, logged as a warning (`warned`), or `shown` to the person at once. */
  readonly stderrOnSuccess: 'dropped' | 'warned' | 'shown'
  /** The servers that get the credential: the hosts in the configuration, its only server, or any server that the person names. */
  readonly hosts: 'limited-by-configuration' | 'one-server' | 'any'
  /** Whether the client's configuration has one helper, or several in named entries. */
  readonly entries: 'one' | 'named'
}
