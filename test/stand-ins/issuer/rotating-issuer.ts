import { createServer } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { closeServer, listenOnLoopback } from '../../setup/loopback.ts'

/** A claim of `undefined` is left out. Times are seconds since the epoch. */
type IssuedClaims = Readonly<Record<string, unknown>>

/** An issuer on loopback that publishes its keys and changes them, as every real one does now and then. */
export interface RotatingIssuer extends AsyncDisposable {
  /** The value of `iss`. */
  readonly issuer: string
  readonly jwksUrl: string
  /** The paths that it was asked for, in order. */
  readonly asked: readonly string[]
  /** A token of five minutes that its newest key signs, or an older one. */
  sign(claims?: IssuedClaims, kid?: string): Promise<string>
  /** Signs with a new key from now on, which it publishes beside those before. Gives its `kid`. */
  rotate(): Promise<string>
  /** Publishes the newest key only. */
  withdrawOldKeys(): void
  /** Answers 503 to everything until it is called with `up`. */
  go(state: 'down' | 'up'): void
}

interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/**
 * Starts it with one key for ES256.
 * @param tokenClaims What it says of whoever asks its token endpoint, which believes everybody.
 */
export async function startRotatingIssuer(tokenClaims: IssuedClaims = {}): Promise<RotatingIssuer> {
  const asked: string[] = []
  const made = [await createSigningKey(1)]
  let published = [...made]
  let state: 'down' | 'up' = 'up'
  const server = createServer(async (request, response) => {
    asked.push(request.url ?? '')
    const body = state === 'up' ? await documents[request.url ?? '']?.() : undefined
    response.writeHead(state === 'down' ? 503 : body ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? {}))
  })
  const issuer = `http://127.0.0.1:${await listenOnLoopback(server)}`
  const jwksUrl = `${issuer}/keys`
  const sign = (claims: IssuedClaims = {}, kid = `key-${made.length}`) =>
    signWith(made.find((key) => key.kid === kid)!, { iss: issuer, ...claims }) // one that it has made
  const documents: Readonly<Record<string, () => object | Promise<object>>> = {
    '/.well-known/openid-configuration': () => ({
      issuer,
      jwks_uri: jwksUrl,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    }),
    '/keys': () => ({ keys: published.map(({ jwk }) => jwk) }),
    '/token': async () => ({ access_token: await sign(tokenClaims), token_type: 'Bearer', expires_in: 300 }),
  }
  return {
    issuer,
    jwksUrl,
    asked,
    sign,
    rotate: async () => {
      const key = await createSigningKey(made.length + 1)
      made.push(key)
      published = [...published, key]
      return key.kid
    },
    withdrawOldKeys: () => {
      published = published.slice(-1)
    },
    go: (next) => {
      state = next
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

async function createSigningKey(number: number): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const kid = `key-${number}`
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'ES256', use: 'sig' } }
}

function signWith({ kid, privateKey }: SigningKey, claims: IssuedClaims): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const complete = { iat, nbf: iat, exp: iat + 300, ...claims }
  const present = Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== undefined))
  return new SignJWT(present).setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' }).sign(privateKey)
}
