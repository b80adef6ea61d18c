import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { HelperError } from '../../../runtime/failure.ts'
import type { CallbackListener, ListenerOptions, SignInOutcome } from './callback-listener.ts'
import { answerHeaders, renderLastPage } from './last-page.ts'
import { matchCallback } from './match-callback.ts'
import { openServers } from './open-servers.ts'

/** In milliseconds, how long the browser may take to read the last page before nobody waits for it. */
const longestPageMs = 1_000

/**
 * Opens the listener to which the browser comes back. What it waits for is answered when the sign-in has ended, and again
 * whenever the person comes back to it; everything else gets 404, and the wait goes on.
 * @param subject What the person signs in to, for the last page.
 * @throws {HelperError} `refused` where the port is taken.
 */
export async function openListener(options: ListenerOptions, subject: string): Promise<CallbackListener> {
  const callback = Promise.withResolvers<URLSearchParams>()
  const ended = Promise.withResolvers<SignInOutcome>()
  const answering = new Set<Promise<unknown>>()
  // A browser that is quick may be back before anybody waits for it.
  const known = Promise.withResolvers<string>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { method, url: target } = request
    const expected = { path: options.path, hosts, state: await known.promise }
    const query = matchCallback({ method, target, host: request.headers.host }, expected)
    if (!query) return send(response, 404, 'Not found\n', 'text/plain')
    callback.resolve(query) // of a second one nothing is taken
    const shown = ended.promise.then((outcome) => send(response, 200, renderLastPage(outcome, subject), 'text/html'))
    answering.add(shown.then(() => once(response, 'close')))
  }
  const { port, close } = await openServers(options, answer)
  const hosts = options.hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]))
  return {
    redirectUri: `http://${options.hosts[0]}:${port}${options.path}`,
    waitForCallback: async (state) => {
      known.resolve(state)
      return refuseError(await callback.promise, subject)
    },
    finish: async (outcome) => {
      ended.resolve(outcome)
      known.resolve('')
      await Promise.race([Promise.allSettled(answering), sleep(longestPageMs)])
    },
    close,
  }
}

function send(response: ServerResponse, status: number, text: string, type: string): void {
  response.writeHead(status, { ...answerHeaders, 'Content-Type': `${type}; charset=utf-8` }).end(text)
}

/** The codes of RFC 6749, section 4.1.2.1, and what providers add to them look like this. */
const errorCode = /^[\w.-]{1,60}$/

/** Repeats the code only: whoever knows the address can send the request, with a description in words of their own. */
function refuseError(query: URLSearchParams, subject: string): URLSearchParams {
  const error = query.get('error')
  if (error === null) return query
  if (error === 'access_denied')
    throw new HelperError(
      'refused',
      `the sign-in to ${subject} was denied in the browser`,
      'start again, and allow it there',
    )
  const code = errorCode.test(error) ? ` (${error})` : ''
  throw new HelperError(
    'refused',
    `the provider ended the sign-in to ${subject}${code}`,
    'start again, or ask who runs the provider',
  )
}
