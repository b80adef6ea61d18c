import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { listenOnLoopback } from '../../setup/loopback.ts'
import { createAuthority } from '../tls/certificate.ts'

/** The answer of a page of a site. */
interface SitePage {
  readonly html?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status?: number
}

/** A web site on loopback, of somebody who has no part in the sign-in, or of a provider that is nothing but pages. */
export interface Site extends AsyncDisposable {
  readonly origin: string
  /** Adds a page, and gives its address. */
  add(path: `/${string}`, page: SitePage): string
}

/** @param host As it stands in the addresses; the server is on `127.0.0.1` in any case. */
export async function startSite(scheme: 'http' | 'https', host: '127.0.0.1' | 'localhost'): Promise<Site> {
  const pages = new Map<string, SitePage>()
  const find = ({ url = '' }: IncomingMessage) => pages.get(url)
  const certificate = () => createAuthority('Example Corp').issue({ names: ['localhost', '127.0.0.1'] })
  const server = scheme === 'http' ? createServer() : createTlsServer(certificate())
  server.on('request', (request, response) => {
    const { html = '', headers, status } = find(request) ?? { status: 404 }
    // As pages of a sign-in are: nothing is kept, so that going back loads them again.
    const usual = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
    response.writeHead(status ?? 200, { ...usual, ...headers })
    response.end(`<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>a page</title>${html}</html>`)
  })
  const origin = `${scheme}://${host}:${await listenOnLoopback(server)}`
  return {
    origin,
    add: (path, page) => {
      pages.set(path, page)
      return origin + path
    },
    [Symbol.asyncDispose]: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
