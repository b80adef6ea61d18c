import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A policy file, tokens that it accepts, and files of tokens for the load generators. */
export interface BenchPolicy {
  readonly policyPath: string
  /** One token a line. */
  readonly tokensPath: string
  readonly tokens: readonly string[]
  /** The public key of every signature, and the private one, as JSON. */
  readonly jwk: string
  readonly privateJwk: string
  /** The claims of every token besides its own. */
  readonly claims: Readonly<Record<string, string>>
  /** The headers in the answer to a request that passes. */
  readonly headers: Readonly<Record<string, string>>
}

const issuer = 'https://idp.bench.example'
const audience = 'https://gateway.bench.example'

/** Writes them below `home`. The issuer's key is in the policy, so that nothing is fetched. */
export async function writeBenchPolicy(home: string, alg: 'ES256' | 'RS256' = 'ES256'): Promise<BenchPolicy> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  const key = { ...(await exportJWK(publicKey)), kid: 'bench', alg, use: 'sig' }
  const headers = { 'x-gateway-user': '{sub}', 'x-gateway-team': '{team}' }
  const policy = {
    issuers: [{ issuer, audiences: [audience], algorithms: [alg], keys: { inline: { keys: [key] } } }],
    rules: [{ name: 'bench', issuer, claims: { team: ['platform'] }, headers }],
  }
  const sign = (_: unknown, index: number) =>
    new SignJWT({ team: 'platform', email: `caller-${index}@bench.example`, jti: `token-${index}` })
      .setProtectedHeader({ alg, kid: 'bench', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setSubject(`caller-${index}`)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  const tokens = await Promise.all(Array.from({ length: callers }, sign))
  const [policyPath, tokensPath] = [join(home, `${alg}.json`), join(home, `${alg}.txt`)]
  await Promise.all([writeFile(policyPath, JSON.stringify(policy)), writeFile(tokensPath, `${tokens.join('\n')}\n`)])
  return {
    policyPath,
    tokensPath,
    tokens,
    jwk: JSON.stringify(key),
    privateJwk: JSON.stringify(await exportJWK(privateKey)),
    claims: { iss: issuer, aud: audience, team: 'platform' },
    headers: { 'x-gateway-user': 'caller-0', 'x-gateway-team': 'platform' },
  }
}

/** The number of callers: each has a token of its own, and the verifier caches all of them. */
const callers = 1_000
