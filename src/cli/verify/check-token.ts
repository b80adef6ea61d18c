import type { refusalReasons } from '../../contract/refusal-reasons.ts'
import type { Fetch } from '../../runtime/network/network-fetch.ts'
import type { ProviderIntrospection } from '../../verify/introspection/provider-introspection.ts'
import type { Policy } from '../../verify/policy/policy.ts'
import type { JwtTerms } from './check-jwt.ts'
import type { ProofCheckTerms } from './check-proof.ts'
import { validateForm, validateLife } from './keyless-checks.ts'
import type { Description, Fact } from './shown-claims.ts'
import { reasonHints, type TokenCheck } from './token-check.ts'

/** The values to compare with a token. */
export interface TokenTerms extends JwtTerms, ProofCheckTerms {
  /** Replaces issuer, keys and audiences. */
  readonly policy: Policy | undefined
}

/** The clock and the network of the checks. */
export interface CheckWorld {
  readonly now: number
  /** Reads the network settings with its first request. */
  readonly fetch: Fetch
  /** The providers of the policy for requests about tokens; absent if they must not be asked. */
  readonly introspection?: ProviderIntrospection
}

/**
 * Makes every check of the token's kind.
 * @returns The checks, and the facts that they showed.
 */
export async function checkToken(
  token: string,
  { kind, title, life }: Description,
  terms: TokenTerms,
  world: CheckWorld,
): Promise<{ checks: TokenCheck[]; facts: Fact[] }> {
  const { issuer, audiences, keys, sts, policy } = terms
  if (policy) {
    // Loaded here, because only a policy needs this code.
    const { checkByPolicy } = await import('./check-by-policy.ts')
    return checkByPolicy(token, { kind, title }, policy, { ...world, sts })
  }
  const other = listForeign(title, {
    jwt: kind !== 'jwt' && (issuer ?? keys) !== undefined,
    sts: kind !== 'aws-identity' && sts === 'asked',
  })
  if (kind === 'aws-identity') {
    // Loaded here, because only a proof needs this code.
    const { checkProof } = await import('./check-proof.ts')
    const { checks, facts } = await checkProof(token, terms, world)
    return { checks: [...other, ...checks], facts }
  }
  if (kind === 'jwt' && (audiences.length > 0 || (issuer ?? keys) !== undefined)) {
    // Loaded here, because only a signature needs this code.
    const { checkJwt } = await import('./check-jwt.ts')
    return { checks: [...other, ...(await checkJwt(token, terms, { ...world, life }))], facts: [] }
  }
  const audience = audiences.length > 0 ? [toUnmet('audience', 'it names no audience', 'audience')] : []
  return { checks: [...other, ...audience, ...validateLife(life, world.now), ...validateForm(kind)], facts: [] }
}

/** Lists the requested checks that the kind of the token does not have. */
function listForeign(title: string, { jwt, sts }: { readonly jwt: boolean; readonly sts: boolean }): TokenCheck[] {
  return [
    ...(jwt ? [toUnmet('issuer', `only a JWT has an issuer with keys, and this is ${title}`, 'unknown-kind')] : []),
    ...(sts
      ? [toUnmet('sts', `AWS STS vouches for proofs of an AWS identity, and this is ${title}`, 'unknown-kind')]
      : []),
  ]
}

function toUnmet(name: string, message: string, reason: keyof typeof refusalReasons): TokenCheck {
  return { name, status: 'unmet', message, reason, hint: reasonHints[reason] }
}
