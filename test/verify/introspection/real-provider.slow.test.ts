import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { exportJWK, exportPKCS8, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'
import { expect, onTestFinished, test } from 'vitest'
import { ask, startVerifierProcess } from '../../cli/gateway/verifier/verifier-process.ts'
import { runGatepass } from '../../cli/run-gatepass.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

const audience = 'https://gateway.example'

/** oidc-provider, which gives a workload tokens that are not JWTs, and a client that introspects with `private_key_jwt` and may have answers signed. */
async function startOpaqueProvider() {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // a TCP server, which listens
  const [own, client] = [
    await generateKeyPair('ES256', { extractable: true }),
    await generateKeyPair('ES256', { extractable: true }),
  ]
  const algorithms = { id_token_signed_response_alg: 'ES256', introspection_signed_response_alg: 'ES256' }
  const common = { response_types: [], redirect_uris: [], ...algorithms }
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(own.privateKey)), alg: 'ES256', use: 'sig', kid: 'first' }] },
    clients: [
      { client_id: 'build', client_secret: 'canary-of-client', grant_types: ['client_credentials'], ...common },
      {
        client_id: 'gateway',
        grant_types: [],
        token_endpoint_auth_method: 'private_key_jwt',
        ...common,
        jwks: { keys: [await exportJWK(client.publicKey)] },
      },
    ],
    cookies: { keys: ['unused'] },
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
      introspection: { enabled: true, allowedPolicy: () => true },
      jwtIntrospection: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: 'chat', audience, accessTokenFormat: 'opaque' }),
      },
    },
    extraTokenClaims: () => ({ sub: 'build machine' }),
  })
  server.on('request', provider.callback())
  const post = (path: string, form: Record<string, string>) =>
    fetch(issuer + path, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('build:canary-of-client').toString('base64')}` },
      body: new URLSearchParams(form),
    })
  return {
    issuer,
    key: await exportPKCS8(client.privateKey),
    otherKey: await exportPKCS8((await generateKeyPair('ES256', { extractable: true })).privateKey),
    async fetchToken(): Promise<string> {
      const answer = await post('/token', { grant_type: 'client_credentials', resource: audience, scope: 'chat' })
      const { access_token: token } = (await answer.json()) as { access_token?: string }
      if (token === undefined) throw new Error(`the provider has given no token: HTTP ${answer.status}`)
      return token
    },
    revoke: (token: string) => post('/token/revocation', { token }),
  }
}

test.each(['plain', 'signed'])(
  'oidc-provider is asked about tokens that are not JWTs, by a client with a key, and its %s answers decide',
  async (answers) => {
    const provider = await startOpaqueProvider()
    const { issuer } = provider
    const writeSecrets = async (key: string, changes: object = {}) => {
      const directory = await temporaryDirectory()
      const introspection = { url: `${issuer}/token/introspection`, clientId: 'gateway', keyFile: 'gateway.key' }
      const asked = { ...introspection, answers, opaqueTokens: 'asked', cacheSec: 1 }
      const policy = {
        issuers: [{ issuer, audiences: [audience], longestLifeSec: 600, introspection: asked, ...changes }],
        rules: [
          {
            name: 'builds',
            issuer,
            claims: { client_id: ['build'] },
            scopes: ['chat'],
            headers: { 'x-user': '{sub}', 'x-client': '{client_id}' },
          },
        ],
      }
      await writeFile(join(directory, 'policy.json'), JSON.stringify(policy))
      await writeFile(join(directory, 'gateway.key'), key, { mode: 0o600 })
      return directory
    }
    const start = async (key: string, changes: object = {}) => {
      const path = join(await writeSecrets(key, changes), 'policy.json')
      return startVerifierProcess('--policy', path, '--listen', '127.0.0.1:0')
    }
    const askShort = async (verifier: Awaited<ReturnType<typeof start>>, token: string) => {
      const answer = await ask(verifier.addresses.listen, token)
      if ('code' in answer) return answer.code
      const { 'x-user': user, 'x-client': client, 'gatepass-refusal': reason } = answer.headers
      return `${answer.status} ${reason ?? `${user} by ${client}`}`
    }
    const verifier = await start(provider.key)
    const [token, other] = [await provider.fetchToken(), await provider.fetchToken()]
    const before = [await askShort(verifier, token), await askShort(verifier, 'made-up')]
    await provider.revoke(token)
    await expect.poll(() => askShort(verifier, token), { timeout: 10_000 }).toBe('401 inactive')
    expect({
      before,
      another: await askShort(verifier, other),
      'for another audience': await askShort(await start(provider.key, { audiences: ['https://other'] }), other),
      'with another key': await askShort(await start(provider.otherKey), other),
    }).toEqual({
      before: ['200 build machine by build', '401 inactive'],
      another: '200 build machine by build',
      'for another audience': '401 audience',
      'with another key': '503 introspection-unavailable',
    })
    const secrets = await writeSecrets(provider.key)
    const verified = async (text: string, ...argv: string[]) => {
      const file = join(secrets, 'token')
      await writeFile(file, text)
      const { status, stdout } = await runGatepass(
        'verify',
        '--json',
        '--policy',
        join(secrets, 'policy.json'),
        ...argv,
        '--file',
        file,
      )
      const { verdict, checks } = JSON.parse(stdout) as {
        verdict: string
        checks: { name: string; status: string; reason?: string }[]
      }
      return [
        status,
        verdict,
        checks.map(({ name, status, reason }) => `${name}: ${status}${reason ? ` (${reason})` : ''}`),
      ]
    }
    expect({
      good: await verified(other, '--provider-secrets', secrets),
      revoked: await verified(token, '--provider-secrets', secrets),
      'not asked': await verified(other),
    }).toEqual({
      good: [0, 'good', ['active: met', 'rule: met']],
      revoked: [1, 'bad', ['active: unmet (inactive)', 'rule: unknown']],
      'not asked': [0, 'not judged', ['active: not asked', 'rule: not asked']],
    })
    verifier.signal('SIGTERM')
    const { status, stderr } = await verifier.ended
    expect({ status, isTokenTold: stderr.includes(other) }).toEqual({ status: 0, isTokenTold: false })
  },
)
