import { createPublicKey, verify } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import { join } from 'node:path'
import { root } from '../../../pkg-scripts/tree.ts'
import type { CredentialVerdict } from '../../../src/gateway/messages-api.ts'
import { startGateway } from '../../../src/gateway/start-gateway.ts'
import { listenOnLoopback } from '../../setup/loopback.ts'
import { listBundles, type Programs } from '../../setup/replay-play.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { startAwsStandIn } from '../../stand-ins/aws/aws-stand-in.ts'
import { verifyBedrockToken } from '../../stand-ins/bedrock/verify-bedrock-token.ts'
import { startFront } from '../../stand-ins/front/front.ts'
import { writeBrowser } from '../../stand-ins/provider/person/write-browser.ts'
import type { ProviderSettings } from '../../stand-ins/provider/settings.ts'
import { startProvider } from '../../stand-ins/provider/start-provider.ts'
import { startForwardProxy } from '../../stand-ins/proxy/forward-proxy.ts'
import { createAuthority } from '../../stand-ins/tls/certificate.ts'

/** An organization with its own network: what an administrator's machine there has in its environment. */
interface Organization extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>
}

/**
 * Starts Entra ID, which compares the path of a redirect to localhost and not its port. It names an API by its scope, and writes the client
 * ID of the API as audience into tokens of version 2.0.
 */
export function startEntra(): Promise<Organization> {
  const tenant = '99999999-8888-7777-6666-555555555555'
  const application = '22222222-3333-4444-5555-666666666666'
  const api = `api://${application}`
  return startOpenId({
    gateway: 'gateway.example.com',
    audience: application,
    provider: {
      issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
      clientId: '11111111-2222-3333-4444-555555555555',
      redirectUris: ['http://localhost/callback'],
      redirectRule: 'any port',
      consent: 'given',
      resources: { [api]: `${api}/access` },
      defaultResource: api,
      audience: application,
      lifeSec: { accessToken: 3900, refreshToken: 86_400 },
    },
  })
}

/** Starts Okta, which compares the whole redirect, with its port. The gateway wants a key of its own beside the person's token. */
export function startOkta(): Promise<Organization> {
  const clientId = '0oa1example'
  return startOpenId({
    gateway: 'llm.example.com',
    audience: clientId,
    key: { header: 'x-litellm-api-key', value: 'sk-1234567890abcdef' },
    provider: {
      issuer: 'https://example.okta.com',
      clientId,
      redirectUris: ['http://127.0.0.1:28400/callback'],
      redirectRule: 'exact',
      consent: 'given',
      lifeSec: { idToken: 3600, refreshToken: 86_400 },
    },
  })
}

interface OpenIdParts {
  /** The host of the gateway. */
  readonly gateway: string
  readonly audience: string
  /** A key that each request has to carry besides. */
  readonly key?: { readonly header: string; readonly value: string }
  readonly provider: ProviderSettings & { readonly issuer: string }
}

async function startOpenId({ gateway, audience, key, provider: settings }: OpenIdParts): Promise<Organization> {
  const stack = new AsyncDisposableStack()
  const provider = stack.use(await startProvider(settings))
  const { keys } = (await (await fetch(`${provider.url}/keys`)).json()) as { keys: Jwk[] }
  const expected = { iss: settings.issuer, aud: audience }
  const own = await startGateway({ verify: (token) => verifyJwt(token, keys[0]!, expected) })
  stack.defer(() => own.close())
  const url = key === undefined ? own.url : stack.use(await startKeyCheck(own.url, key)).url
  const hosts = { [new URL(settings.issuer).hostname]: provider.url, [gateway]: url }
  return openNetwork(stack, hosts)
}

/** Refuses requests without the key, and hands the others on. */
async function startKeyCheck(behind: string, { header, value }: NonNullable<OpenIdParts['key']>) {
  const server = createServer((message, response) => {
    if (message.headers[header] !== value) {
      response
        .writeHead(401, { 'content-type': 'application/json' })
        .end('{"error":{"message":"No api key passed in."}}')
      return
    }
    const headers = { ...message.headers, host: new URL(behind).host }
    const call = request(behind + message.url, { method: message.method, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    message.pipe(call)
  })
  const port = await listenOnLoopback(server)
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => void server.close().closeAllConnections(),
  }
}

type Jwk = Readonly<Record<string, string>>

/** Verifies a JWT as a gateway checks it: the signature, the issuer, the audience and the time, character by character. */
function verifyJwt(token: string, jwk: Jwk, expected: { iss: string; aud: string }): CredentialVerdict {
  const [header = '', claims = '', signature = ''] = token.split('.')
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
  const isSigned = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
  if (!isSigned) return { ok: false, reason: 'unknown' }
  const { iss, aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  const isRight = iss === expected.iss && [aud].flat().includes(expected.aud) && exp > Date.now() / 1000
  return isRight ? { ok: true } : { ok: false, reason: 'unknown' }
}

/** Starts IAM Identity Center, and Bedrock, which verifies the signature in a key. */
export async function startAws(): Promise<Organization> {
  const stack = new AsyncDisposableStack()
  const aws = await startAwsStandIn()
  stack.defer(() => aws.close())
  aws.sso.addPortal('https://example.awsapps.com/start', {
    assignments: [{ accountId: '111122223333', roleName: 'Inference' }],
  })
  const check = (token: string): CredentialVerdict => {
    const verdict = verifyBedrockToken(token, { secretOf: aws.secretOf, now: new Date() })
    return verdict.ok ? { ok: true } : { ok: false, reason: 'unknown' }
  }
  const own = await startGateway({ verify: check })
  stack.defer(() => own.close())
  return openNetwork(stack, { 'bedrock-runtime.eu-central-1.amazonaws.com': own.url }, aws.environment)
}

/** Gateways of ours answer under their own address alone. */
const gateways = ['gateway.example.com', 'llm.example.com', 'bedrock-runtime.eu-central-1.amazonaws.com']

/** Puts each server behind TLS and its own name, which a proxy alone knows, and a person into the browser. */
async function openNetwork(
  stack: AsyncDisposableStack,
  hosts: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Organization> {
  const authority = createAuthority('Example Corp')
  const routes: Record<string, number> = {}
  for (const [host, behind] of Object.entries(hosts)) {
    const front = stack.use(
      await startFront(
        behind,
        authority.issue({ names: [host] }),
        gateways.includes(host) ? 'of the server behind' : undefined,
      ),
    )
    routes[`${host}:443`] = front.port
  }
  const proxy = stack.use(await startForwardProxy({ routes }))
  const place = await temporaryDirectory()
  const ca = join(place, 'authority.pem')
  await writeFile(ca, authority.cert)
  const network = {
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    NO_PROXY: '127.0.0.1,localhost',
    NODE_EXTRA_CA_CERTS: ca,
  }
  const exports = Object.entries({ ...network, NODE_USE_ENV_PROXY: '1' }).map(
    ([name, value]) => `export ${name}='${value}'\n`,
  )
  const browser = await writeBrowser(join(place, 'browser'), {}, exports.join(''))
  return {
    env: { ...network, ...env, BROWSER: browser, DISPLAY: ':0' },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  }
}

/** Lists the programs of an installation, where a helper finds the others beside itself: a bundle alone holds one. */
export async function listInstalled(): Promise<Programs> {
  const place = await temporaryDirectory()
  const installed = new Map(listBundles())
  for (const name of ['oidc-token', 'api-key']) {
    const file = join(place, name)
    const source = join(root, 'pkg-scripts', 'run', 'helper.ts')
    await writeFile(file, `#!/bin/sh\nexec '${process.execPath}' '${source}' ${name} "$@"\n`, { mode: 0o755 })
    installed.set(name, file)
  }
  return installed
}
