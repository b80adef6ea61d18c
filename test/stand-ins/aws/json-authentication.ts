import { type SignatureProblem, verifyHeaderSignature } from '../bedrock/sigv4-verify.ts'
import { AwsRefusal, type AwsRequest, type AwsWorld } from './aws-operation.ts'

/**
 * Returns the region for which a request with the JSON protocol was signed.
 * @throws {AwsRefusal} in the words of such services
 */
export function authenticateJson({ method, url, headers, body }: AwsRequest, service: string, world: AwsWorld): string {
  const { now, identities } = world
  const secretOf = identities.findKey
  const verdict = verifyHeaderSignature({ method, url: url.href, headers, body, secretOf, now: now() })
  if (!verdict.ok) throw new AwsRefusal(codes[verdict.reason], 400, verdict.detail)
  if (verdict.service === service) return verdict.region
  throw new AwsRefusal(
    'InvalidSignatureException',
    400,
    `Credential should be scoped to correct service: '${service}'.`,
  )
}

const codes: Record<SignatureProblem, string> = {
  malformed: 'IncompleteSignatureException',
  'unknown-key': 'UnrecognizedClientException',
  'wrong-session-token': 'UnrecognizedClientException',
  'wrong-signature': 'InvalidSignatureException',
  'not-yet-valid': 'InvalidSignatureException',
  expired: 'InvalidSignatureException',
  'expired-credentials': 'ExpiredTokenException',
}
