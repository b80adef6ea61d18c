import { HelperError } from '../../../runtime/failure.ts'
import { type Jwt, parseJwt } from '../../../runtime/tokens/jwt.ts'
import { validateAssertion } from '../../exchange/validate-assertion.ts'

/** What an ID-JAG has to say, before it is sent to the second server. */
export interface ExpectedIdJag {
  /** The host that issued it, for messages. */
  readonly host: string
  /** `iss` of the person's ID token, whose issuer exchanged it; `undefined` where that is not known. */
  readonly issuer: string | undefined
  /** The issuer of the second server. */
  readonly audience: string
  /** The client at the second server, where an option names it. */
  readonly clientId: string | undefined
}

/** The media type of an ID-JAG without `application/`, which may be left out (RFC 7515, section 4.1.9). */
const mediaType = 'oauth-id-jag+jwt'

/**
 * Validates an ID-JAG by what it says of itself: draft-ietf-oauth-identity-assertion-authz-grant-03, sections 3 and 4.4. Its
 * signature is verified by the server that it is for.
 * @returns its `client_id`: the client as which it is presented there.
 * @throws {HelperError} `not-configured` that never repeats the token.
 */
export function validateIdJag(text: string, expected: ExpectedIdJag, now: number): string {
  const token = `the ID-JAG that ${expected.host} issued`
  const audienceHint = `have ${expected.host} issue ID-JAGs for that authorization server alone, or correct exchange-issuer and exchange-audience`
  const renewalHint = `check what ${expected.host} issues for this client`
  const result = validateAssertion(text, { token, audience: expected.audience, renewalHint, audienceHint }, now)
  if (!result.ok) throw result.failure
  const { jwt } = result
  const problem = findProblem(jwt, expected)
  if (problem !== undefined) throw new HelperError('not-configured', `${token} ${problem.what}`, problem.hint)
  return String(jwt.claims.client_id)
}

function findProblem(
  { header, claims }: Jwt,
  { host, issuer, audience, clientId }: ExpectedIdJag,
): { what: string; hint: string } | undefined {
  const repair = `have ${host} follow draft-ietf-oauth-identity-assertion-authz-grant`
  const { typ } = header
  if (typeof typ !== 'string' || typ.toLowerCase().replace(/^application\//, '') !== mediaType)
    return { what: `is of the type ${quote(typ)}, not "${mediaType}"`, hint: repair }
  const missing = ['jti', 'client_id'].filter((name) => typeof claims[name] !== 'string' || claims[name] === '')
  if (typeof claims.iat !== 'number') missing.push('iat')
  if (missing.length > 0) return { what: `lacks ${missing.join(' and ')}`, hint: repair }
  if ([claims.aud].flat().length > 1)
    return { what: `is for other servers besides "${audience}", which could use it as well`, hint: repair }
  if (issuer !== undefined && claims.iss !== issuer)
    return { what: `is of the issuer ${quote(claims.iss)}, and the person's ID token of "${issuer}"`, hint: repair }
  if (clientId !== undefined && claims.client_id !== clientId)
    return {
      what: `is for the client ${quote(claims.client_id)}, not for "${clientId}"`,
      hint: `correct exchange-client-id, or have ${host} know this client's ID at the other server`,
    }
  if (claims.cnf === undefined) return undefined
  return {
    what: 'is bound to a key (cnf), of which the gateway would get no proof',
    hint: `have ${host} issue ID-JAGs for bearer tokens`,
  }
}

/** `iss` of an ID token; `undefined` for a text that is no JWT. */
export function findIssuer(text: string): string | undefined {
  const issuer = parseJwt(text)?.claims.iss
  return typeof issuer === 'string' ? issuer : undefined
}

function quote(value: unknown): string {
  return typeof value === 'string' ? `"${value.slice(0, 200)}"` : 'none'
}
