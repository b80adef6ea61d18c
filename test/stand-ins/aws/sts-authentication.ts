import {
  type SignatureProblem,
  type SignatureVerdict,
  verifyHeaderSignature,
  verifyQuerySignature,
} from '../bedrock/sigv4-verify.ts'
import type { AccessKey } from './aws-identities.ts'
import { AwsRefusal, type AwsRequest, type AwsWorld } from './aws-operation.ts'

/** Returns the key that signed a request, in its headers or its query. @throws {AwsRefusal} in the words of STS */
export function authenticate(request: AwsRequest, world: AwsWorld): AccessKey {
  const verdict = verifySignature(request, world)
  if (!verdict.ok) throw refusals[verdict.reason](verdict.detail)
  if (verdict.service !== 'sts') throw signatureRefusal("Credential should be scoped to correct service: 'sts'.")
  return world.identities.findKey(verdict.accessKeyId)! // verified against this key just now
}

function verifySignature({ method, url, headers, body }: AwsRequest, { now, identities }: AwsWorld): SignatureVerdict {
  const request = { method, url: url.href, headers, secretOf: identities.findKey, now: now() }
  if (headers.authorization) return verifyHeaderSignature({ ...request, body })
  if (url.searchParams.has('X-Amz-Signature')) return verifyQuerySignature({ ...request, lifeSec: presignedLifeSec })
  throw new AwsRefusal('MissingAuthenticationToken', 403, 'Request is missing Authentication Token')
}

/** STS ignores `X-Amz-Expires`. */
const presignedLifeSec = 900

const refusals: Record<SignatureProblem, (detail: string) => AwsRefusal> = {
  malformed: (detail) => new AwsRefusal('IncompleteSignature', 400, detail),
  'unknown-key': unknownToken,
  'wrong-session-token': unknownToken,
  'wrong-signature': () =>
    signatureRefusal(
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.',
    ),
  'not-yet-valid': signatureRefusal,
  expired: signatureRefusal,
  'expired-credentials': () =>
    new AwsRefusal('ExpiredToken', 403, 'The security token included in the request is expired'),
}

function unknownToken(): AwsRefusal {
  return new AwsRefusal('InvalidClientTokenId', 403, 'The security token included in the request is invalid.')
}

function signatureRefusal(message: string): AwsRefusal {
  return new AwsRefusal('SignatureDoesNotMatch', 403, message)
}
