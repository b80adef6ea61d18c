import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { request as requestOverTls } from 'node:https'
import { type CookieJar, createCookieJar } from './cookie-jar.ts'
import { type Page, parsePage } from './page.ts'

/** Where a browser goes, and from which page. */
interface Step {
  readonly address: URL
  readonly from?: URL
  /** The fields of a form that is posted. */
  readonly form?: URLSearchParams
}

/** Opens addresses in one browser with its cookies, and follows redirects, with the headers of a real one. */
export function createBrowsing(): (step: Step) => Promise<Page> {
  const jar = createCookieJar()
  return async (first) => {
    let step = first
    for (let hop = 0; hop < 20; hop += 1) {
      const answer = await send(step, jar)
      jar.keep(step.address, answer.headers['set-cookie'] ?? [])
      const html = await readAll(answer)
      const { location } = answer.headers
      if (location === undefined) return parsePage(step.address, answer.statusCode ?? 0, html)
      step = { ...(step.from && { from: step.from }), address: new URL(location, step.address) }
    }
    throw new Error(`redirected too often, at last to ${step.address}`)
  }
}

async function send({ address, from, form }: Step, jar: CookieJar): Promise<IncomingMessage> {
  const cookie = jar.render(address)
  const body = form?.toString()
  const isTls = address.protocol === 'https:'
  const call = (isTls ? requestOverTls : request)(address, {
    method: form ? 'POST' : 'GET',
    // Only the agent of Node itself goes through a proxy.
    ...(!isTls && { agent: false }),
    headers: {
      Accept: 'text/html',
      'Sec-Fetch-Mode': 'navigate',
      'Sec-Fetch-Dest': 'document',
      'Sec-Fetch-Site': toSite(address, from),
      ...(cookie && { Cookie: cookie }),
      ...(from && { Referer: from.origin === address.origin ? from.href : `${from.origin}/` }),
      ...(from && form && { Origin: from.origin }),
      ...(body !== undefined && {
        'Content-Type': 'application/x-www-form-urlencoded',
        'Content-Length': Buffer.byteLength(body),
      }),
    },
  })
  call.end(body)
  const [answer] = await once(call, 'response')
  return answer
}

function toSite(address: URL, from: URL | undefined): string {
  if (!from) return 'none'
  if (from.origin === address.origin) return 'same-origin'
  return from.hostname === address.hostname ? 'same-site' : 'cross-site'
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}
