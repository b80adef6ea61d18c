import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import { join } from 'node:path'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'
import { type Front, startFront } from '../front/front.ts'
import { startForwardProxy } from '../proxy/forward-proxy.ts'
import { type Certificate, createAuthority } from '../tls/certificate.ts'
import type { AwsStandIn } from './aws-stand-in.ts'

/** The hosts of AWS that a verifier asks, under their own names: a proxy leads there, and a certificate authority vouches. */
export interface AwsHosts extends AsyncDisposable {
  /** The variables that the process that asks has to have. */
  readonly environment: Readonly<Record<string, string>>
  /** The hosts that were asked for through the proxy, such as `CONNECT sts.eu-central-1.amazonaws.com:443`. */
  readonly asked: readonly string[]
  /** The front of AWS STS, which can fail in its place. */
  readonly sts: Pick<Front, 'behave' | 'requests'>
}

const stsHosts = ['sts.eu-central-1.amazonaws.com', 'sts.amazonaws.com']

/**
 * Gives AWS STS of the stand-in, and the issuer of its identity tokens, the names that they have in real life.
 * @param directory For the authority's certificate.
 */
export async function startAwsHosts(aws: AwsStandIn, directory: string): Promise<AwsHosts> {
  const authority = createAuthority('Example AWS Authority')
  const ca = join(directory, 'authority.pem')
  await writeFile(ca, authority.cert)
  const issuerHost = new URL(aws.outboundIdentity.issuer).host
  const front = await startFront(aws.url, authority.issue({ names: stsHosts }))
  const issuer = await startIssuer(aws, authority.issue({ names: [issuerHost] }))
  const routes = [...stsHosts.map((host) => [host, front.port] as const), [issuerHost, issuer.port] as const]
  const proxy = await startForwardProxy({
    routes: Object.fromEntries(routes.map(([host, port]) => [`${host}:443`, port])),
  })
  return {
    environment: { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NODE_EXTRA_CA_CERTS: ca },
    asked: proxy.asked,
    sts: front,
    [Symbol.asyncDispose]: async () => {
      await proxy[Symbol.asyncDispose]()
      await issuer.close()
      await front[Symbol.asyncDispose]()
    },
  }
}

/** Publishes the keys with which an AWS account signs the tokens of `GetWebIdentityToken`. */
async function startIssuer({ outboundIdentity: { issuer, jwks } }: AwsStandIn, certificate: Certificate) {
  const jwksUrl = `${issuer}/.well-known/jwks.json`
  const documents: Readonly<Record<string, () => object>> = {
    '/.well-known/openid-configuration': () => ({ issuer, jwks_uri: jwksUrl }),
    '/.well-known/jwks.json': jwks,
  }
  const server = createServer(certificate, ({ url = '' }, response) => {
    const body = documents[url]?.()
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}))
  })
  return {
    port: await listenOnLoopback(server),
    close: () => closeServer(server),
  }
}
