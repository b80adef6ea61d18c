import { type Denial, parseDenial } from '../../contract/aws/denial.ts'
import { programName } from '../../version.ts'
import type { PartExplanation } from '../examination.ts'
import type { GatewayAnswer } from '../session/turn.ts'
import { parseRefusal } from './parse-refusal.ts'

/**
 * Explains an answer with an AWS error that a gateway forwards or quotes; `undefined` for any other answer.
 * @param owner The owner of the credentials that AWS checked: the token, or the gateway itself.
 */
export function explainAwsError(
  { text, headers }: Pick<GatewayAnswer, 'text' | 'headers'>,
  owner: 'token' | 'gateway',
): PartExplanation | undefined {
  const denial = parseDenial(text)
  if (denial) return { outcome: 'bad', ...explainDenial(denial, owner) }
  const found = [findCode(text, headers), quotedCode.exec(text)?.[1]]
  const code = found.find((name) => name !== undefined && Object.hasOwn(causes, name))
  if (code === undefined) return undefined
  const { behind, ...own } = causes[code]!
  if (owner === 'token') return { outcome: 'bad', ...own }
  const hint = `nothing to change here: have the gateway's operators look at the AWS credentials with which it calls AWS (${code})`
  return { outcome: 'bad', cause: behind, hint }
}

/** `behind`: the same cause for the gateway's own credentials. */
interface Cause extends Pick<PartExplanation, 'cause' | 'hint'> {
  readonly behind: string
}

const expired: Cause = {
  cause: 'the AWS credentials that the token was made with have expired or were revoked',
  hint: `sign in again; then clear the tokens that were made with them: ${programName} cache clear`,
  behind: 'the AWS credentials behind the gateway have expired',
}

const unknownKey: Cause = {
  cause: 'AWS does not know the access key that the token was made with, or not in this region or partition',
  hint: 'check that the key is active, and that the account has enabled the region: aws account list-regions',
  behind: 'AWS does not know the access key behind the gateway',
}

const wrongSignature: Cause = {
  cause:
    'AWS does not accept the signature of the token: it was made with another secret key, or for another region or service',
  hint: 'compare the region of the helper with that of the gateway; for keys in a file, copy both again',
  behind: "AWS does not accept the signature of the gateway's own request",
}

const regionDisabled: Cause = {
  cause: 'the region is switched off in the AWS account',
  hint: 'have it enabled in the account settings, or set another region',
  behind: "the region is switched off in the gateway's AWS account",
}

/** Causes by AWS error code, without the suffix `Exception` of some services. */
const causes: Readonly<Record<string, Cause>> = {
  ExpiredToken: expired,
  RequestExpired: expired,
  InvalidClientTokenId: unknownKey,
  UnrecognizedClient: unknownKey,
  SignatureDoesNotMatch: wrongSignature,
  InvalidSignature: wrongSignature,
  RegionDisabled: regionDisabled,
}

/** Finds a code that a gateway quotes in its own sentence. */
const quotedCode = new RegExp(`\\b(${Object.keys(causes).join('|')})(?:Exception)?\\b`)

function explainDenial(
  { action, deniedBy, limitedBy }: Denial,
  owner: 'token' | 'gateway',
): Pick<PartExplanation, 'cause' | 'hint'> {
  const who = owner === 'token' ? 'the AWS identity of the token' : 'the AWS identity behind the gateway'
  if (deniedBy !== undefined)
    return {
      cause: `a ${deniedBy} denies ${who} ${action}`,
      hint: `have the explicit deny of ${action} removed: no other policy can allow it`,
    }
  const also = limitedBy === undefined ? '' : `, in a ${limitedBy} as well`
  return {
    cause: `${who} is not allowed ${action}`,
    hint: `have ${owner === 'token' ? 'an administrator of the account' : "the gateway's operators"} allow it ${action}${also}`,
  }
}

/** Finds the code in a header or in JSON, where a namespace is before it or an address after it, or in an element of XML. */
function findCode(text: string, headers: Headers): string | undefined {
  const found = headers.get('x-amzn-errortype') ?? /<Code>([^<]*)</.exec(text)?.[1] ?? parseRefusal(text).code
  return /^(?:[\w.]+#)?(\w+?)(?:Exception)?(?::.*)?$/.exec(found ?? '')?.[1]
}
