import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import { endpoints, toConfiguration } from './configuration.ts'
import { createMemoryStore } from './memory-store.ts'
import { createPersonPages } from './person-pages.ts'
import { createRequests, type Endpoint, type Fault, type SeenRequest } from './requests.ts'
import { completeSettings, isRedirectAllowed, type ProviderSettings } from './settings.ts'
import { addTokenExchange } from './token-exchange.ts'

/** An honest OpenID provider on loopback, for people and a public client. */
export interface StandInProvider extends AsyncDisposable {
  readonly issuer: string
  /** Where it listens. */
  readonly url: string
  readonly clientId: string
  /** The addresses of its endpoints, for settings without discovery. */
  readonly urls: Readonly<Record<Endpoint, string>>
  /** The requests that it received. With a `grant_type`, only those of the token endpoint that have it. */
  requests(endpoint: Endpoint, grantType?: string): SeenRequest[]
  /** Has the next answers of an endpoint fail, one after the other. */
  fail(endpoint: Endpoint, ...faults: Fault[]): void
  /** Forgets every session, grant and token, as an administrator does who signs everybody out. */
  revokeEverything(): void
  /** Closes the port; what it knows stays. */
  goDown(): Promise<void>
  /** Opens the same port again. */
  comeBack(): Promise<void>
}

/** Its refresh tokens rotate; whoever uses one twice revokes the whole family. */
export async function startProvider(given: ProviderSettings = {}): Promise<StandInProvider> {
  const settings = completeSettings(given)
  const server = createServer()
  await listen(server, settings.host, 0)
  const { port } = server.address() as AddressInfo // a TCP server, which listens
  const issuer = settings.issuer ?? `http://${settings.host}:${port}`
  const store = createMemoryStore(settings.graceSec)
  const provider = new Provider(issuer, { ...(await toConfiguration(settings)), adapter: store.adapter })
  provider.Client.prototype.redirectUriAllowed = (uri) => isRedirectAllowed(uri, settings)
  // A mistake of the stand-in's own, which the client is told nothing about.
  provider.on('server_error', (_, error) => console.error(error))
  if (settings.exchange) addTokenExchange(provider, settings.exchange)
  const requests = createRequests(() => close(server))
  provider.use(requests.middleware)
  provider.use(createPersonPages(provider, settings))
  provider.proxy = settings.issuer !== undefined
  server.on('request', mountBelow(issuer, provider.callback()))
  return {
    issuer,
    url: `http://${settings.host}:${port}`,
    clientId: settings.clientId,
    urls: toUrls(issuer),
    requests: requests.list,
    fail: requests.fail,
    revokeEverything: store.clear,
    goDown: () => close(server),
    comeBack: () => listen(server, settings.host, port),
    [Symbol.asyncDispose]: () => close(server),
  }
}

/** Behind a front the path of the issuer comes before that of an endpoint; `originalUrl` tells the library which it was. */
function mountBelow(issuer: string, listener: RequestListener): RequestListener {
  const { pathname, protocol } = new URL(issuer)
  const prefix = pathname.replace(/\/$/, '')
  return (message, response) => {
    if (protocol === 'https:') message.headers['x-forwarded-proto'] = 'https'
    const { url = '' } = message
    if (prefix !== '' && url.startsWith(`${prefix}/`))
      Object.assign(message, { originalUrl: url, url: url.slice(prefix.length) })
    return listener(message, response)
  }
}

function toUrls(issuer: string): Record<Endpoint, string> {
  const urls = Object.entries(endpoints).map(([name, path]) => [name, issuer + path])
  return Object.fromEntries(urls) as Record<Endpoint, string> // the same names
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host)
  await once(server, 'listening')
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
