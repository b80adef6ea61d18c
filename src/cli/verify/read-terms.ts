import type { JSONWebKeySet } from 'jose'
import { HelperError } from '../../runtime/failure.ts'
import { describeReadFailure, readNamedFile } from '../../runtime/named-file.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { parseObject } from '../../runtime/values/json-value.ts'
import { parseKeySet } from '../../verify/jwt/parse-key-set.ts'
import { readPolicyFile, requirePolicy } from '../../verify/policy/read-policy-file.ts'
import type { TokenTerms } from './check-token.ts'

/** The flags with values to compare with a token. */
export interface TermFlags {
  readonly issuer?: string
  readonly audience?: readonly string[]
  readonly audienceHeader?: string
  readonly keys?: string
  readonly sts?: true
  readonly policy?: string
  readonly providerSecrets?: string
}

/**
 * Reads the values to compare with a token.
 * @throws {HelperError} `usage` for an issuer whose keys cannot be found, an unsafe address, or a file without keys; `not-configured` for
 * an invalid policy.
 */
export async function readTerms(flags: TermFlags): Promise<TokenTerms> {
  const { issuer, audience = [], audienceHeader, keys, sts, policy, providerSecrets } = flags
  if (policy !== undefined) refuseBeside(flags)
  refuseIssuer(issuer, keys)
  if (providerSecrets !== undefined && policy === undefined)
    throw new HelperError('usage', '--provider-secrets is given, but no policy', 'pass the policy too, with --policy')
  if (audienceHeader !== undefined && audience.length === 0)
    throw new HelperError(
      'usage',
      '--audience-header is given, but no audience',
      'pass the audience too, with --audience',
    )
  return {
    issuer,
    audiences: audience,
    audienceHeader,
    keys: keys === undefined ? undefined : await readKeys(keys),
    sts: sts ? 'asked' : 'not asked',
    policy: policy === undefined ? undefined : requirePolicy(policy, await readPolicyFile(policy, 'anybody')),
  }
}

/** Refuses flags besides a policy, which names issuers, keys and audiences itself. */
function refuseBeside({ issuer, audience, audienceHeader, keys }: TermFlags): void {
  if ([issuer, audience, audienceHeader, keys].every((value) => value === undefined)) return
  throw new HelperError(
    'usage',
    '--policy cannot be combined with --issuer, --keys or --audience',
    'remove them: the policy names its own',
  )
}

/** Refuses an issuer whose keys cannot be discovered, because its name is not an address. */
function refuseIssuer(issuer: string | undefined, keys: string | undefined): void {
  if (issuer === undefined || keys !== undefined || isSecureAddress(issuer)) return
  throw new HelperError(
    'usage',
    'the issuer is not an https URL, so its keys cannot be discovered',
    'write it as the token has it, or say where its keys are: --keys',
  )
}

async function readKeys(source: string): Promise<NonNullable<TokenTerms['keys']>> {
  if (!/^https?:\/\//i.test(source)) return { inline: await readKeySet(source) }
  if (isSecureAddress(source)) return { url: source }
  throw new HelperError(
    'usage',
    'keys are not fetched over http, because anybody on the network could replace them',
    'use https://',
  )
}

/**
 * Reads the public keys of an issuer from a file: a key set, or a single key (RFC 7517).
 * @throws {HelperError} `usage` for a file without a key.
 */
async function readKeySet(path: string): Promise<JSONWebKeySet> {
  const value = parseObject(await readFileText(path))
  const set = value?.kty === undefined ? value : { keys: [value] }
  const parsed = parseKeySet(set)
  if ('keys' in parsed) return set as unknown as JSONWebKeySet // parseKeySet has accepted it
  throw new HelperError(
    'usage',
    `the file of --keys ${parsed.problem}`,
    'name a file with a JSON Web Key Set, as issuers publish it',
  )
}

async function readFileText(path: string): Promise<string> {
  const bytes = await readNamedFile(path).catch((cause: NodeJS.ErrnoException) => {
    throw new HelperError('usage', `the file of --keys ${describeReadFailure(cause)}`, 'check the path', { cause })
  })
  return bytes.toString('utf8')
}
