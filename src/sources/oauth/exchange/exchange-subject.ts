import { grantTypes } from '../../../contract/oauth-names.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Secret } from '../../../runtime/secret.ts'
import { quoteForeign } from '../../../runtime/text/quote.ts'
import { type Jwt, normalizeType, parseJwt } from '../../../runtime/tokens/jwt.ts'
import { validateAssertion } from '../../exchange/validate-assertion.ts'
import { GrantRefusal } from './describe-refusal.ts'
import type { GrantRequest, TokenEndpoint } from './encode-request.ts'
import { type ExchangeSettings, type IdJagSettings, readClient } from './exchange-settings.ts'
import {
  type ExchangeParts,
  exchangeJwt,
  exchangeToken,
  type SubjectSupply,
  type SubjectToken,
  toTargetParameters,
} from './exchange-token.ts'
import { fetchTokenEndpoint } from './fetch-token-endpoint.ts'
import { type Granted, sendGrant } from './send-grant.ts'
import { toTokenType } from './token-types.ts'

/**
 * Exchanges a person's token. If the server refuses it, the sign-in is renewed once and the new token is sent: the provider may have
 * revoked the old token, or the server may accept each token only once.
 * @throws {HelperError} the failure of the last exchange, or of the supply.
 */
export async function exchangeSubject(
  settings: ExchangeSettings,
  supply: SubjectSupply,
  parts: ExchangeParts,
): Promise<Exchange> {
  const exchange = async (subject: Secret): Promise<Exchange> => {
    const granted = await exchangeOneToken(settings, { token: subject, name: supply.name }, parts)
    return { subject, granted }
  }
  const subject = await supply.obtain()
  try {
    return await exchange(subject)
  } catch (error) {
    const isTokenRefused = error instanceof GrantRefusal && error.isTokenRefused
    const fresh = isTokenRefused ? await supply.renew(subject) : undefined
    if (fresh === undefined) throw error
    return exchange(fresh)
  }
}

/** A person's token, and the token that was issued for it. */
interface Exchange {
  readonly subject: Secret
  readonly granted: Granted
}

function exchangeOneToken(settings: ExchangeSettings, subject: SubjectToken, parts: ExchangeParts): Promise<Granted> {
  switch (settings.form) {
    case 'token-exchange':
      return exchangeToken(settings, subject, parts)
    case 'jwt-bearer':
      return exchangeJwt(settings, subject, parts)
    case 'id-jag':
      return exchangeIdJag(settings, subject, parts)
  }
}

/**
 * Exchanges a person's ID token in the two steps of draft-ietf-oauth-identity-assertion-authz-grant. The person's token is sent only
 * to their provider; the second server gets the ID-JAG.
 * @throws {HelperError}
 */
async function exchangeIdJag(settings: IdJagSettings, subject: SubjectToken, parts: ExchangeParts): Promise<Granted> {
  // Fetched first, because an ID-JAG is valid for minutes and is only requested if it can be sent.
  const endpoint = await fetchTokenEndpoint(settings.endpoint, parts.call)
  const client = await readClient(settings.client, parts.host)
  const provider = await fetchTokenEndpoint(settings.provider.endpoint, parts.call)
  const { host } = provider.url
  const idJag = await fetchIdJag(settings, subject, provider, parts)
  const expected = {
    host,
    audience: settings.issuer,
    clientId: settings.client.id,
    issuer: findIssuer(subject.token.reveal()),
  }
  const id = requireIdJagClient(idJag.reveal(), expected, parts.host.clock.now())
  return sendGrant(
    {
      endpoint,
      // The ID-JAG and the request have to name the same client (section 4.4.1), so the client's ID is taken from the ID-JAG.
      client: { ...client, id },
      parameters: [
        ['grant_type', grantTypes.jwtBearer],
        ['assertion', idJag],
      ],
      token: `the ID-JAG that ${host} issued`,
      origin: 'exchange',
      isIdempotent: false,
    },
    { use: 'bearer' },
    parts,
  )
}

/** Fetches the ID-JAG for the second server from the person's provider. */
async function fetchIdJag(
  settings: IdJagSettings,
  { token, name }: SubjectToken,
  endpoint: TokenEndpoint,
  parts: ExchangeParts,
): Promise<Secret> {
  const request: GrantRequest = {
    endpoint,
    client: await readClient(settings.provider.client, parts.host),
    parameters: [
      ['grant_type', grantTypes.tokenExchange],
      ['requested_token_type', toTokenType('id-jag')],
      ['audience', settings.audience],
      ...toTargetParameters(settings),
      ['subject_token', token],
      ['subject_token_type', toTokenType(settings.subject)],
    ],
    token: name,
    origin: 'sign-in',
    isIdempotent: true,
  }
  return (await sendGrant(request, { type: toTokenType('id-jag'), use: 'assertion' }, parts)).token
}

/** The expected contents of an ID-JAG, which are validated before it is sent to the second server. */
interface ExpectedIdJag {
  /** The host of the issuer, for messages. */
  readonly host: string
  /** `iss` of the person's ID token, which is also the issuer of the ID-JAG; `undefined` if it is not known. */
  readonly issuer: string | undefined
  /** The issuer of the second server. */
  readonly audience: string
  /** The client at the second server, if an option names it. */
  readonly clientId: string | undefined
}

/** The media type of an ID-JAG without `application/`, which may be left out (RFC 7515, section 4.1.9). */
const mediaType = 'oauth-id-jag+jwt'

/**
 * Validates the header and the claims of an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant-03, sections 3 and 4.4). Its
 * signature is verified by the second server.
 * @returns its `client_id`: the client that presents it there.
 * @throws {HelperError} `not-configured` that never repeats the token.
 */
export function requireIdJagClient(text: string, expected: ExpectedIdJag, now: number): string {
  const token = `the ID-JAG that ${expected.host} issued`
  const audienceHint = `have ${expected.host} issue ID-JAGs for that authorization server alone, or correct exchange-issuer and exchange-audience`
  const renewalHint = `check what ${expected.host} issues for this client`
  const result = validateAssertion(text, { token, audience: expected.audience, renewalHint, audienceHint }, now)
  if (!result.ok) throw result.failure
  const { jwt } = result
  const problem = validateIdJagClaims(jwt, expected)
  if (problem !== undefined) throw new HelperError('not-configured', `${token} ${problem.what}`, problem.hint)
  return String(jwt.claims.client_id)
}

function validateIdJagClaims(
  { header, claims }: Jwt,
  { host, issuer, audience, clientId }: ExpectedIdJag,
): { what: string; hint: string } | undefined {
  const fix = `have ${host} follow draft-ietf-oauth-identity-assertion-authz-grant`
  const { typ } = header
  if (typeof typ !== 'string' || normalizeType(typ) !== mediaType)
    return { what: `is of the type ${quoteForeign(typ)}, not "${mediaType}"`, hint: fix }
  const missing = ['jti', 'client_id'].filter((name) => typeof claims[name] !== 'string' || claims[name] === '')
  if (typeof claims.iat !== 'number') missing.push('iat')
  if (missing.length > 0) return { what: `lacks ${missing.join(' and ')}`, hint: fix }
  if ([claims.aud].flat().length > 1)
    return { what: `is for other servers besides "${audience}", which could use it as well`, hint: fix }
  if (issuer !== undefined && claims.iss !== issuer)
    return {
      what: `is from the issuer ${quoteForeign(claims.iss)}, but the person's ID token is from "${issuer}"`,
      hint: fix,
    }
  if (clientId !== undefined && claims.client_id !== clientId)
    return {
      what: `is for the client ${quoteForeign(claims.client_id)}, not for "${clientId}"`,
      hint: `correct exchange-client-id, or have ${host} know this client's ID at the other server`,
    }
  if (claims.cnf === undefined) return undefined
  return {
    what: 'is bound to a key (cnf), and the gateway would get no proof of that key',
    hint: `have ${host} issue ID-JAGs for bearer tokens`,
  }
}

/** Finds `iss` of an ID token; `undefined` if the text is not a JWT. */
function findIssuer(text: string): string | undefined {
  const issuer = parseJwt(text)?.claims.iss
  return typeof issuer === 'string' ? issuer : undefined
}
