import { randomUUID } from 'node:crypto'
import {
  type CryptoKey,
  type JWTHeaderParameters,
  type JWTPayload,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose'

/** A client as the server knows it. */
interface ExchangeClient {
  /** Without one it is a public client. */
  readonly secret?: string
  /** How the secret has to come. */
  readonly authentication?: 'basic' | 'post'
  /** The last parts of the grant types that it may use. */
  readonly grants: readonly ('token-exchange' | 'jwt-bearer')[]
}

/** The tokens that a server exchanges, and for which audiences. */
export interface ExchangeRules {
  readonly issuer: string
  readonly trusted: { readonly issuer: string; readonly keys: JWTVerifyGetKey; readonly audience?: string }
  readonly clients: Readonly<Record<string, ExchangeClient>>
  /** Values of `audience` and `resource` that it knows. */
  readonly targets: readonly string[]
  readonly scopes: readonly string[]
  readonly signingKey: CryptoKey
  /** The client's ID at the server that an ID-JAG is for, where that server has another one. */
  readonly idJagClient?: string
  /** Claims and header members of an ID-JAG that are not as they should be. */
  readonly idJag?: { readonly header?: object; readonly claims?: object }
  readonly lifeSec: number
}

/** A refusal of RFC 6749, section 5.2. */
export class Refused extends Error {
  readonly code: string
  constructor(code: string, description: string) {
    super(description)
    this.code = code
  }
}

const prefix = 'urn:ietf:params:oauth:'
const repeatable = ['audience', 'resource']

/** Returns the token that a server issues for a form, by the rules of RFC 6749, 7523, 8693 and the draft of ID-JAG. */
export async function answerGrant(
  form: URLSearchParams,
  authorization: string | undefined,
  { rules, used }: { rules: ExchangeRules; used: Set<string> },
): Promise<object> {
  for (const name of form.keys())
    if (form.getAll(name).length > 1 && !repeatable.includes(name)) throw new Refused('invalid_request', `two ${name}`)
  const clientId = authenticate(form, authorization, rules)
  const grant = form.get('grant_type')?.replace(`${prefix}grant-type:`, '')
  if (grant !== 'token-exchange' && grant !== 'jwt-bearer')
    throw new Refused('unsupported_grant_type', `the grant type is ${grant}`)
  if (clientId !== undefined && !rules.clients[clientId]?.grants.includes(grant))
    throw new Refused('unauthorized_client', `${clientId} may not use ${grant}`)
  return grant === 'token-exchange'
    ? exchangeSubject(form, clientId, rules)
    : acceptAssertion(form, clientId, { rules, used })
}

function authenticate(form: URLSearchParams, authorization: string | undefined, rules: ExchangeRules) {
  const posted = form.get('client_id') ?? undefined
  const secret = form.get('client_secret') ?? undefined
  if (authorization !== undefined && (posted !== undefined || secret !== undefined))
    throw new Refused('invalid_request', 'the client authenticates twice')
  const [user, password] = authorization === undefined ? [posted, secret] : decodeBasic(authorization)
  if (user === undefined) return undefined
  const client = rules.clients[user]
  if (!client || client.secret !== password) throw new Refused('invalid_client', 'unknown client or wrong secret')
  const way = authorization === undefined ? 'post' : 'basic'
  if (client.secret !== undefined && way !== (client.authentication ?? 'basic'))
    throw new Refused('invalid_client', `the secret came by ${way}`)
  return user
}

function decodeBasic(header: string): (string | undefined)[] {
  const [, encoded = ''] = /^Basic ([\w+/=]+)$/.exec(header) ?? []
  const pair = Buffer.from(encoded, 'base64').toString()
  const at = pair.indexOf(':')
  // RFC 6749, section 2.3.1: both parts are encoded as in a form.
  return [pair.slice(0, at), pair.slice(at + 1)].map((part) => new URLSearchParams(`x=${part}`).get('x') ?? '')
}

async function exchangeSubject(form: URLSearchParams, clientId: string | undefined, rules: ExchangeRules) {
  const token = require(form, 'subject_token')
  const type = require(form, 'subject_token_type')
  if (!['id_token', 'access_token', 'jwt'].some((name) => type === `${prefix}token-type:${name}`))
    throw new Refused('invalid_request', 'subject_token_type is unknown')
  const subject = await verify(token, 'invalid_request', rules)
  const targets = [...form.getAll('audience'), ...form.getAll('resource')]
  if (!targets.every((target) => rules.targets.includes(target))) throw new Refused('invalid_target', 'unknown target')
  const scope = findScope(form, rules)
  const wanted = form.get('requested_token_type') ?? `${prefix}token-type:access_token`
  if (wanted === `${prefix}token-type:id-jag`)
    return { issued_token_type: wanted, ...(await issueIdJag(form, clientId, { subject, rules })) }
  return { issued_token_type: wanted, ...(await issueAccessToken({ sub: subject.sub, aud: targets, scope }, rules)) }
}

async function issueIdJag(
  form: URLSearchParams,
  clientId: string | undefined,
  { subject, rules }: { subject: { sub?: string; aud?: unknown }; rules: ExchangeRules },
) {
  if (clientId === undefined || ![subject.aud].flat().includes(clientId))
    throw new Refused('invalid_grant', 'the ID token is for another client')
  const resource = form.getAll('resource')
  const claims = {
    sub: subject.sub,
    aud: require(form, 'audience'),
    client_id: rules.idJagClient ?? clientId,
    jti: randomUUID(),
    scope: form.get('scope') ?? undefined,
    ...(resource.length > 0 && { resource }),
    ...rules.idJag?.claims,
  }
  const token = await sign(claims, rules, { typ: 'oauth-id-jag+jwt', ...rules.idJag?.header })
  return { access_token: token, token_type: 'N_A', expires_in: 300 }
}

async function acceptAssertion(
  form: URLSearchParams,
  clientId: string | undefined,
  { rules, used }: { rules: ExchangeRules; used: Set<string> },
) {
  const { jti, ...claims } = await verify(require(form, 'assertion'), 'invalid_grant', rules)
  const isIdJag = claims.header.typ === 'oauth-id-jag+jwt'
  if (isIdJag && (claims.aud !== rules.issuer || claims.client_id !== clientId))
    throw new Refused('invalid_grant', 'the ID-JAG is for another server or client')
  if (jti !== undefined && used.has(jti)) throw new Refused('invalid_grant', 'the assertion was used before')
  if (jti !== undefined) used.add(jti)
  const { sub, scope = findScope(form, rules), resource = form.getAll('resource') } = claims
  return issueAccessToken({ sub, aud: resource, scope }, rules)
}

type Verified = JWTPayload & { readonly header: JWTHeaderParameters }

async function verify(
  token: string,
  code: string,
  { trusted: { issuer, keys, audience } }: ExchangeRules,
): Promise<Verified> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, { issuer, ...(audience && { audience }) })
    return { ...payload, header: protectedHeader }
  } catch (error) {
    throw new Refused(code, `the token is not accepted: ${(error as Error).message}`)
  }
}

function findScope(form: URLSearchParams, { scopes }: ExchangeRules): string | undefined {
  const scope = form.get('scope') ?? undefined
  if (scope?.split(' ').every((name) => scopes.includes(name)) === false)
    throw new Refused('invalid_scope', 'unknown scope')
  return scope
}

function require(form: URLSearchParams, name: string): string {
  const value = form.get(name)
  if (value) return value
  throw new Refused('invalid_request', `${name} is missing`)
}

async function issueAccessToken(claims: object, rules: ExchangeRules) {
  const token = await sign({ jti: randomUUID(), ...claims }, rules, { typ: 'at+jwt' })
  return { access_token: token, token_type: 'Bearer', expires_in: rules.lifeSec }
}

function sign(claims: object, { issuer, signingKey, lifeSec }: ExchangeRules, header: object): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  return new SignJWT({ iss: issuer, iat, exp: iat + lifeSec, ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'exchange', ...header })
    .sign(signingKey)
}
