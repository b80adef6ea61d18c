// Folder: the listener on this machine to which the browser comes back, and the last page.

import { once } from 'node:events'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isErrorCode } from '../../../contract/oauth-names.ts'
import { HelperError } from '../../../runtime/failure.ts'
import { normalizeHost } from '../../../runtime/network/addresses.ts'
import { isSameCredential } from '../../../runtime/network/client-credentials.ts'
import { formType, readRequestBody } from '../../../runtime/network/server-request.ts'
import { askProviderHint, denial } from '../flow.ts'
import type { CallbackListener, ListenerOptions, SignInNames, SignInOutcome } from './callback.ts'
import { answerHeaders, renderForeignPage, renderLastPage, renderLatePage } from './last-page.ts'
import { openServers } from './open-servers.ts'

/**
 * Opens the listener to which the browser comes back. The awaited request is answered when the sign-in has ended, and again whenever the
 * person returns to it. Every other request gets 404, and the wait continues.
 * @param names The names of the sign-in on the last page.
 * @throws {HelperError} `refused` if the port is taken.
 */
export async function openListener(options: ListenerOptions, names: SignInNames): Promise<CallbackListener> {
  const { path, responseMode = 'query' } = options
  const pending: PendingCallback = {
    state: Promise.withResolvers(),
    callback: Promise.withResolvers(),
    ended: Promise.withResolvers(),
    answering: new Set(),
    foreignHost: undefined,
  }
  const { port, close } = await openServers(options, async (request, response, keep) => {
    const sender = detectSender(request.headers, options.referrers)
    // The browser sends the request again when the person really opens the page.
    if (sender.kind === 'prefetch') return send(response, 503, 'Not now\n')
    const parameters = await readParameters(request, { path, responseMode, hosts })
    const isCallback = parameters && isAnswer(parameters, await pending.state.promise)
    if (!isCallback || sender.kind === 'part') return send(response, 404, 'Not found\n')
    if (sender.kind !== 'foreign') return answerTab({ response, parameters, keep }, pending, names)
    pending.foreignHost = sender.host
    send(response, 404, renderForeignPage(sender.host, names), 'text/html')
  })
  const hosts = options.hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]))
  const redirectUri = `http://${options.hosts[0]}:${port}${options.path}`
  return {
    redirectUri,
    waitForCallback: async (state) => {
      pending.state.resolve(state)
      const parameters = await pending.callback.promise
      refuseError(parameters, { subject: names.subject, redirectUri, explain: options.explainError })
      return parameters
    },
    findForeignHost: () => pending.foreignHost,
    finish: async (outcome) => {
      pending.ended.resolve(outcome)
      pending.state.resolve('')
      await Promise.race([Promise.allSettled(pending.answering), sleep(longestPageMs)])
    },
    close,
  }
}

/** The events that requests and the sign-in wait for, and the tabs that are being answered. */
interface PendingCallback {
  /** The expected state. It is a promise, because a quick browser may come back before `waitForCallback` is called. */
  readonly state: PromiseWithResolvers<string>
  /** The first answer with this state. */
  readonly callback: PromiseWithResolvers<URLSearchParams>
  readonly ended: PromiseWithResolvers<SignInOutcome>
  readonly answering: Set<Promise<unknown>>
  foreignHost: string | undefined
}

/** A tab with an answer, and the function that keeps its connection open. */
interface ReturningTab {
  readonly response: ServerResponse
  readonly parameters: URLSearchParams
  readonly keep: () => void
}

/**
 * The sender of a request, as far as the browser states it:
 * - `prefetch`: a browser that loads a page in advance
 * - `part`: something that a page loads, such as an image, a frame or a script's request
 * - `foreign`: a tab from a host that may not send the answer
 * - `tab`: a tab from a permitted host or without a stated host, or a program that is not a browser
 */
type Sender = { readonly kind: 'prefetch' | 'part' | 'tab' } | { readonly kind: 'foreign'; readonly host: string }

/** Detects the sender of a request. @param referrers See `listReferrers`; without them, only a prefetch is distinguished. */
function detectSender(headers: IncomingHttpHeaders, referrers: readonly string[] | undefined): Sender {
  if (purposeHeaders.some((name) => aheadOfTime.test(String(headers[name] ?? '')))) return { kind: 'prefetch' }
  if (!referrers) return { kind: 'tab' }
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers
  if (mode !== 'navigate' || destination !== 'document') return { kind: 'part' }
  // An https page sends `Origin: null` to a plain http listener, and usually no Referer.
  const hosts = [headers.origin, headers.referer].filter((sent) => sent !== undefined && sent !== 'null').map(toHost)
  const host = hosts.find((name) => !referrers.includes(name))
  return host === undefined ? { kind: 'tab' } : { kind: 'foreign', host }
}

/** The headers with which old and new browsers mark a prefetch. */
const purposeHeaders = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

const aheadOfTime = /\b(prefetch|prerender|preview)\b/i

/** Returns the host of an address; empty for a text that is not a URL, so that it is never permitted. */
const toHost = (address = '') => normalizeHost(URL.parse(address)?.hostname ?? '')

/** Reads the parameters of a request to the callback; `undefined` for any other request. */
async function readParameters(
  request: IncomingMessage,
  callback: Parameters<typeof detectCarrier>[1],
): Promise<URLSearchParams | undefined> {
  const { method, url: target = '' } = request
  const carrier = detectCarrier({ method, target, host: request.headers.host }, callback)
  if (carrier === 'form') return readForm(request)
  if (carrier === undefined) return undefined
  const query = new URLSearchParams(target.split('?').slice(1).join('?'))
  // Some providers send an error in the query, although form_post was requested.
  return callback.responseMode === 'query' || query.has('error') ? query : undefined
}

/**
 * Returns whether these are the parameters of the expected redirect. Every page in the person's browser and every program on this machine
 * can send requests here, so only an answer with the right state ends the wait, even if it is an error (RFC 8252, section 8.9; RFC 6749,
 * section 10.12). No parameter may be repeated (RFC 6749, section 3.1).
 */
function isAnswer(parameters: URLSearchParams, state: string): boolean {
  const isOnce = [...new Set(parameters.keys())].every((name) => parameters.getAll(name).length === 1)
  const isComplete = parameters.has('code') !== parameters.has('error')
  return isOnce && isComplete && state !== '' && isSameCredential(parameters.get('state') ?? '', state)
}

/** Resolves the sign-in's answer with that of a tab, and shows the last page in the tab when the sign-in has ended. */
async function answerTab(
  { response, parameters, keep }: ReturningTab,
  { callback, ended, answering }: PendingCallback,
  names: SignInNames,
): Promise<void> {
  if (answering.size < maxKeptTabs) keep()
  callback.resolve(parameters)
  const isCounted = isSameAnswer(parameters, await callback.promise) // a second answer is ignored
  if (response.destroyed) return // the person has reloaded the page
  const closed = once(response, 'close').finally(() => answering.delete(closed))
  answering.add(closed)
  const outcome = await ended.promise
  const isLast = isCounted || outcome instanceof HelperError
  send(response, 200, isLast ? renderLastPage(outcome, names) : renderLatePage(outcome, names), 'text/html')
}

/** The most connections of tabs with the answer that are kept. A person may load the answer in several tabs. Our decision. */
const maxKeptTabs = 8

/** In milliseconds: how long the browser may take to read the last page. Our decision. */
const longestPageMs = 1_000

/** Returns whether two answers are the same one. Each code is issued once. */
function isSameAnswer(one: URLSearchParams, other: URLSearchParams): boolean {
  return ['code', 'error'].every((name) => one.get(name) === other.get(name))
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { ...answerHeaders, 'content-type': `${type}; charset=utf-8` }).end(text)
}

/** The parts of a request that identify its target. */
interface CallbackRequest {
  readonly method: string | undefined
  /** The request target as sent. */
  readonly target: string | undefined
  readonly host: string | undefined
}

/** The redirect URI to which the browser comes back. */
interface CallbackAddress {
  readonly path: string
  /** The hosts with their port, in lower case. */
  readonly hosts: readonly string[]
  readonly responseMode: 'query' | 'form_post'
}

/** Detects how a request to the callback carries its parameters; `undefined` for any other request. */
function detectCarrier(request: CallbackRequest, callback: CallbackAddress): 'query' | 'form' | undefined {
  const { method, target = '', host = '' } = request
  if (!callback.hosts.includes(host.toLowerCase())) return undefined
  if (method === 'POST' && callback.responseMode === 'form_post' && target === callback.path) return 'form'
  return method === 'GET' && target.split('?')[0] === callback.path ? 'query' : undefined
}

/** In bytes: as much as a query may have with its headers. */
const longestFormBytes = 16_384

/** Reads the fields of a posted form; `undefined` for another type, or if it is too long or incomplete. */
async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  const { text } = await readRequestBody(request, formType, longestFormBytes).catch(() => ({ text: undefined }))
  return text === undefined ? undefined : new URLSearchParams(text)
}

/**
 * Throws if the redirect has an error.
 * @throws {HelperError} the one that `explain` returns; without `explain`, one with the code only, because anybody who knows the address
 * can send the request with an invented description.
 */
function refuseError(
  parameters: URLSearchParams,
  signIn: { subject: string; redirectUri: string; explain: ListenerOptions['explainError'] },
): void {
  const error = parameters.get('error')
  if (error === null) return
  const { subject, redirectUri, explain } = signIn
  const [description, issuer] = ['error_description', 'iss'].map((name) => parameters.get(name) ?? undefined)
  if (explain) throw explain({ error, description, issuer, redirectUri })
  if (error === 'access_denied')
    throw new HelperError('refused', `the sign-in to ${subject} ${denial.problem}`, denial.hint)
  const code = isErrorCode(error) ? ` (${error})` : ''
  throw new HelperError('refused', `the provider ended the sign-in to ${subject}${code}`, askProviderHint)
}
