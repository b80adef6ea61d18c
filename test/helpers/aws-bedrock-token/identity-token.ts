import { canary } from './workbench.ts'

export const issuer = 'https://issuer.example'

/** Returns an identity token for AWS's audience; the stand-in reads its claims and not its signature. */
export function identityToken(claims: Readonly<Record<string, unknown>> = {}): string {
  const payload = { iss: issuer, sub: 'runner', aud: 'sts.amazonaws.com', exp: 4_000_000_000, ...claims }
  const parts = ['{"alg":"RS256"}', JSON.stringify(payload)].map((part) => Buffer.from(part).toString('base64url'))
  return [...parts, canary].join('.')
}
