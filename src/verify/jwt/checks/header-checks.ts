import { isSignatureAlgorithm, signatureAlgorithmNames } from '../../../contract/signature-algorithms.ts'
import { describeValue } from './describe-value.ts'
import type { CheckResult, ExamineFacts } from './jwt-check.ts'

const issuerUnknown: CheckResult = { outcome: 'skipped', note: 'what is accepted of its issuer is not known' }

/** What makes the payload something else than what it looks like, or asks for what this verifier does not do. */
export const examineCriticalHeaders: ExamineFacts = ({ jwt: { header } }) => {
  const fail = (note: string): CheckResult => ({ outcome: 'fail', note, reason: 'malformed' })
  if ('crit' in header) return fail('it names header parameters that must be understood, and none are (crit)')
  if ('b64' in header && header.b64 !== true)
    return fail('its payload is not encoded, which a JWT does not permit (b64)')
  if ('zip' in header) return fail('it says that its payload is compressed, which signed tokens are not (zip)')
  if ('enc' in header) return fail('it says that it is encrypted, and is not (enc)')
  if ('kid' in header && typeof header.kid !== 'string') return fail('its kid is no text')
  return { outcome: 'pass', note: 'its header asks for nothing unusual' }
}

/** RFC 8725, section 3.8. */
export const examineIssuer: ExamineFacts = ({ jwt: { claims }, trust }) => {
  if (trust) return { outcome: 'pass', note: `it is of ${describeValue(trust.issuer)}` }
  const note =
    typeof claims.iss === 'string'
      ? `its issuer ${describeValue(claims.iss)} is not trusted`
      : 'it names no issuer (iss)'
  return { outcome: 'fail', note, reason: 'issuer' }
}

/** RFC 8725, section 3.11. A media type, whose case does not count (RFC 7515, section 4.1.9). */
export const examineType: ExamineFacts = ({ jwt: { header }, trust }) => {
  if (!trust) return issuerUnknown
  const type = 'typ' in header ? describeValue(header.typ) : 'none'
  if (!trust.types) return { outcome: 'pass', note: `its type (typ) is ${type}, and any is accepted` }
  const isAccepted = typeof header.typ === 'string' && trust.types.map(toType).includes(toType(header.typ))
  if (isAccepted) return { outcome: 'pass', note: `its type (typ) is ${type}` }
  const accepted = trust.types.map(describeValue).join(' or ')
  return { outcome: 'fail', note: `its type (typ) is ${type}, not ${accepted}`, reason: 'unknown-kind' }
}

function toType(name: string): string {
  return name.toLowerCase().replace(/^application\//, '')
}

/** RFC 8725, sections 3.1 and 3.2. */
export const examineAlgorithm: ExamineFacts = ({ jwt: { header }, trust }) => {
  const accepted = (trust?.algorithms ?? signatureAlgorithmNames).filter(isSignatureAlgorithm)
  const name = describeValue(header.alg)
  if (isSignatureAlgorithm(header.alg) && accepted.includes(header.alg))
    return { outcome: 'pass', note: `it is signed by ${name}` }
  const note = isSignatureAlgorithm(header.alg)
    ? `it is signed by ${name}, and only ${accepted.join(', ')} is accepted`
    : `${name} is no algorithm that is ever accepted`
  return { outcome: 'fail', note, reason: 'algorithm' }
}
