import { HelperError } from '../../../runtime/failure.ts'
import { isLoopback } from '../../../runtime/network/loopback.ts'
import { readPolicyFile } from '../../../verify/policy/file/read-policy-file.ts'
import { requirePolicy } from '../../../verify/policy/file/require-policy.ts'
import type { TokenTerms } from '../checks/check-token.ts'
import { readKeySet } from './read-key-set.ts'

/** What a token is compared with, as the command line says it. */
export interface TermFlags {
  readonly issuer?: string
  readonly audience?: readonly string[]
  readonly audienceHeader?: string
  readonly keys?: string
  readonly sts?: true
  readonly policy?: string
}

/**
 * Reads what a token is compared with.
 * @throws {HelperError} `usage` for an issuer whose keys cannot be found, an address that is not safe, a file that holds no keys;
 * `not-configured` for a policy that is wrong.
 */
export async function readTerms(flags: TermFlags): Promise<TokenTerms> {
  const { issuer, audience = [], audienceHeader, keys, sts, policy } = flags
  if (policy !== undefined) refuseBeside(flags)
  refuseIssuer(issuer, keys)
  if (audienceHeader !== undefined && audience.length === 0)
    throw new HelperError('usage', '--audience-header is given, and no audience', 'name it too: --audience')
  return {
    issuer,
    audiences: audience,
    audienceHeader,
    keys: keys === undefined ? undefined : await readKeys(keys),
    sts: sts ? 'asked' : 'not asked',
    policy: policy === undefined ? undefined : requirePolicy(policy, await readPolicyFile(policy, 'anybody')),
  }
}

/** A policy names issuers, keys and audiences itself. */
function refuseBeside({ issuer, audience, audienceHeader, keys }: TermFlags): void {
  if ([issuer, audience, audienceHeader, keys].every((value) => value === undefined)) return
  throw new HelperError(
    'usage',
    '--policy cannot be combined with --issuer, --keys or --audience',
    'leave them out: the policy names its own',
  )
}

/** Keys are discovered by the address that an issuer is; one that is none has keys somewhere else. */
function refuseIssuer(issuer: string | undefined, keys: string | undefined): void {
  if (issuer === undefined || keys !== undefined || isSafe(issuer)) return
  throw new HelperError(
    'usage',
    'the issuer is not an https URL, so its keys cannot be discovered',
    'write it as the token has it, or say where its keys are: --keys',
  )
}

async function readKeys(source: string): Promise<NonNullable<TokenTerms['keys']>> {
  if (!/^https?:\/\//i.test(source)) return { inline: await readKeySet(source) }
  if (isSafe(source)) return { url: source }
  throw new HelperError('usage', 'keys are not fetched over http: anybody on the way could give others', 'use https://')
}

/** On this machine nobody is on the way. */
function isSafe(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}
