import { type Denial, parseDenial } from '../../../contract/aws-denial.ts'
import type { Explanation } from '../../explanation.ts'
import type { GatewayAnswer } from '../../turn/turn.ts'
import { parseRefusal } from './parse-refusal.ts'

type Cause = Pick<Explanation, 'cause' | 'hint'>

const expired: Cause = {
  cause: 'the AWS credentials that the token was made with have expired or were revoked',
  hint: 'sign in again; then clear the tokens that were made with them: gatepass cache clear',
}

const unknownKey: Cause = {
  cause: 'AWS does not know the access key that the token was made with, or not in this region or partition',
  hint: 'check that the key is active, and that the account has enabled the region: aws account list-regions',
}

const wrongSignature: Cause = {
  cause:
    'AWS does not accept the signature of the token: it was made with another secret key, or for another region or service',
  hint: 'compare the region of the helper with that of the gateway; for keys in a file, copy both again',
}

const regionDisabled: Cause = {
  cause: 'the region is switched off in the AWS account',
  hint: 'have it enabled in the account settings, or set another region',
}

/** By AWS's error codes, without the `Exception` at the end that some services add. */
const causes: Readonly<Record<string, Cause>> = {
  ExpiredToken: expired,
  RequestExpired: expired,
  InvalidClientTokenId: unknownKey,
  UnrecognizedClient: unknownKey,
  SignatureDoesNotMatch: wrongSignature,
  InvalidSignature: wrongSignature,
  RegionDisabled: regionDisabled,
}

/** Explains an answer in which AWS itself speaks, be it passed on by a gateway; `undefined` for any other. */
export function explainAwsError({ text, headers }: Pick<GatewayAnswer, 'text' | 'headers'>): Explanation | undefined {
  const denial = parseDenial(text)
  if (denial) return { outcome: 'bad', ...explainDenial(denial) }
  const code = findCode(text, headers)
  return code !== undefined && Object.hasOwn(causes, code) ? { outcome: 'bad', ...causes[code]! } : undefined
}

function explainDenial({ action, deniedBy, limitedBy }: Denial): Cause {
  if (deniedBy !== undefined)
    return {
      cause: `a ${deniedBy} denies the AWS identity of the token ${action}`,
      hint: `have the explicit deny of ${action} removed: no other policy can allow it`,
    }
  const place = limitedBy === undefined ? '' : `, in a ${limitedBy} as well`
  return {
    cause: `the AWS identity of the token is not allowed ${action}`,
    hint: `have an administrator of the account allow it ${action}${place}`,
  }
}

/** In a header or in JSON with the name space before it, or an address after it; in XML as an element. */
function findCode(text: string, headers: Headers): string | undefined {
  const found = headers.get('x-amzn-errortype') ?? /<Code>([^<]*)</.exec(text)?.[1] ?? parseRefusal(text).code
  return /^(?:[\w.]+#)?(\w+?)(?:Exception)?(?::.*)?$/.exec(found ?? '')?.[1]
}
