import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'

/** A policy file, tokens that it lets pass, and files with them for the load generators. */
export interface BenchPolicy {
  readonly policyPath: string
  /** One token a line. */
  readonly tokensPath: string
  readonly tokens: readonly string[]
  /** The public key that every signature holds for, as JSON. */
  readonly jwk: string
  /** The headers in the answer to a request that passes. */
  readonly headers: Readonly<Record<string, string>>
}

const issuer = 'https://idp.bench.example'
const audience = 'https://gateway.bench.example'

/** How many callers there are: each has a token of its own, all of which the verifier remembers. */
const callers = 1_000

/** Writes them below `home`. The issuer's key is in the policy, so that nothing is fetched. */
export async function writeBenchPolicy(home: string): Promise<BenchPolicy> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const key = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'ES256', use: 'sig' }
  const headers = { 'x-gateway-user': '{sub}', 'x-gateway-team': '{team}' }
  const policy = {
    issuers: [{ issuer, audiences: [audience], algorithms: ['ES256'], keys: { inline: { keys: [key] } } }],
    rules: [{ name: 'bench', issuer, claims: { team: ['platform'] }, headers }],
  }
  const sign = (_: unknown, index: number) =>
    new SignJWT({ team: 'platform', email: `caller-${index}@bench.example`, jti: `token-${index}` })
      .setProtectedHeader({ alg: 'ES256', kid: 'bench', typ: 'at+jwt' })
      .setIssuer(issuer)
      .setSubject(`caller-${index}`)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(privateKey)
  const tokens = await Promise.all(Array.from({ length: callers }, sign))
  const [policyPath, tokensPath] = [join(home, 'policy.json'), join(home, 'tokens.txt')]
  await Promise.all([writeFile(policyPath, JSON.stringify(policy)), writeFile(tokensPath, `${tokens.join('\n')}\n`)])
  return {
    policyPath,
    tokensPath,
    tokens,
    jwk: JSON.stringify(key),
    headers: { 'x-gateway-user': 'caller-0', 'x-gateway-team': 'platform' },
  }
}
