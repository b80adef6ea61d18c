import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

/** The keys of an issuer, under an address with a certificate. */
export interface KeysOverTls {
  readonly url: string
  /** The file with the certificate of the authority. */
  readonly ca: string
  /** How often they were fetched. */
  readonly fetched: () => number
  close(): Promise<void>
}

/** Fetches them anew for each request. */
export async function startKeysOverTls(jwksUrl: string, directory: string): Promise<KeysOverTls> {
  const authority = createAuthority('Example Authority')
  const ca = join(directory, 'authority.pem')
  await chmod(directory, 0o711) // Apache's own user reads it
  await writeFile(ca, authority.cert)
  let fetched = 0
  const server = createServer(authority.issue({ names: ['127.0.0.1'] }), async (_, response) => {
    fetched += 1
    const answer = await fetch(jwksUrl)
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  const port = await listenOnLoopback(server)
  return {
    url: `https://127.0.0.1:${port}/keys`,
    ca,
    fetched: () => fetched,
    close: () => closeServer(server),
  }
}
