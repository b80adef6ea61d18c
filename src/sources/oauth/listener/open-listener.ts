import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallbackListener, ListenerOptions, SignInOutcome } from './callback-listener.ts'
import { detectSender } from './detect-sender.ts'
import { answerHeaders, renderForeignPage, renderLastPage } from './last-page.ts'
import { detectCarrier, matchAnswer } from './match-callback.ts'
import { openServers } from './open-servers.ts'
import { readForm } from './read-form.ts'
import { refuseError } from './refuse-error.ts'

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
  let foreignHost: string | undefined
  const answering = new Set<Promise<unknown>>()
  // A browser that is quick may be back before anybody waits for it.
  const known = Promise.withResolvers<string>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const sender = detectSender(request.headers, options.referrers)
    // The browser asks again when the person really goes there.
    if (sender.kind === 'prefetch') return send(response, 503, 'Not now\n')
    const parameters = await readParameters(request, { ...place, hosts })
    const isCallback = parameters && matchAnswer(parameters, await known.promise)
    if (!isCallback || sender.kind === 'part') return send(response, 404, 'Not found\n')
    if (sender.kind === 'foreign') {
      foreignHost = sender.host
      return send(response, 404, renderForeignPage(sender.host, subject), 'text/html')
    }
    callback.resolve(parameters) // of a second one nothing is taken
    const shown = ended.promise.then((outcome) => send(response, 200, renderLastPage(outcome, subject), 'text/html'))
    answering.add(shown.then(() => once(response, 'close')))
  }
  const place = { path: options.path, responseMode: options.responseMode ?? ('query' as const) }
  const { port, close } = await openServers(options, answer)
  const hosts = options.hosts.flatMap((host) => (port === 80 ? [host, `${host}:80`] : [`${host}:${port}`]))
  const redirectUri = `http://${options.hosts[0]}:${port}${options.path}`
  return {
    redirectUri,
    waitForCallback: async (state) => {
      known.resolve(state)
      const parameters = await callback.promise
      refuseError(parameters, { subject, redirectUri, explain: options.explainError })
      return parameters
    },
    findForeignHost: () => foreignHost,
    finish: async (outcome) => {
      ended.resolve(outcome)
      known.resolve('')
      await Promise.race([Promise.allSettled(answering), sleep(longestPageMs)])
    },
    close,
  }
}

/** The parameters of a request that goes to the callback; `undefined` for any other. */
async function readParameters(
  request: IncomingMessage,
  place: Parameters<typeof detectCarrier>[1],
): Promise<URLSearchParams | undefined> {
  const { method, url: target = '' } = request
  const carrier = detectCarrier({ method, target, host: request.headers.host }, place)
  if (carrier === 'form') return readForm(request)
  if (carrier === undefined) return undefined
  const query = new URLSearchParams(target.split('?').slice(1).join('?'))
  // Some providers send an error in the query although a form was asked for.
  return place.responseMode === 'query' || query.has('error') ? query : undefined
}

function send(response: ServerResponse, status: number, text: string, type = 'text/plain'): void {
  response.writeHead(status, { ...answerHeaders, 'Content-Type': `${type}; charset=utf-8` }).end(text)
}
