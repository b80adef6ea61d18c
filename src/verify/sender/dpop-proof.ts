// The DPoP proof of possession (RFC 9449, section 4).

import { hash, type KeyObject } from 'node:crypto'
import type { RefusalReason } from '../../contract/refusal-reasons.ts'
import { isSignatureAlgorithm, type SignatureAlgorithm } from '../../contract/signature-algorithms.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import { toObject } from '../../runtime/values/json-value.ts'
import { verifySignature } from '../jwt/check-signature.ts'
import { describeValue } from '../jwt/describe-value.ts'
import { computeThumbprint } from '../jwt/key-finder.ts'
import { parseKeySet } from '../jwt/parse-key-set.ts'
import { parseSignedJwt, type SignedJwt } from '../jwt/parse-signed-jwt.ts'
import type { SenderFacts } from './sender-facts.ts'

/** A well-formed proof, with the key that it contains. */
export interface ParsedProof {
  readonly jwt: SignedJwt
  readonly alg: SignatureAlgorithm
  readonly key: KeyObject
  /** The key's thumbprint (RFC 7638) in base64url. */
  readonly thumbprint: string
  readonly jti: string
}

/** Parses the only proof of a request, or says in a sentence what is wrong with its form. */
export function parseDpopProof(lines: readonly string[]): ParsedProof | { readonly problem: string } {
  const [line, ...others] = lines
  if (line === undefined) return { problem: 'the request has no proof (DPoP)' }
  if (others.length > 0) return { problem: 'the request has more than one proof (DPoP)' }
  const jwt = parseSignedJwt(line)
  if ('problem' in jwt) return jwt
  const { typ, alg, jwk, crit } = jwt.header
  if (typ !== 'dpop+jwt') return { problem: `the type (typ) of the proof is ${describeValue(typ)}, not "dpop+jwt"` }
  if (!isSignatureAlgorithm(alg))
    return { problem: `the proof is signed by ${describeValue(alg)}, which is never accepted` }
  if (crit !== undefined) return { problem: 'the proof names header parameters that must be understood (crit)' }
  const key = importKey(jwk, alg)
  if (!key) return { problem: `the proof brings no public key for ${alg} (jwk)` }
  const { jti } = jwt.claims
  if (typeof jti !== 'string' || jti === '') return { problem: 'the proof has no ID (jti)' }
  return { jwt, alg, key, thumbprint: computeThumbprint(key), jti }
}

function importKey(jwk: unknown, alg: SignatureAlgorithm): KeyObject | undefined {
  const { kty, crv, n, e, x, y, d } = toObject(jwk)
  const set = parseKeySet({ keys: [{ kty, crv, n, e, x, y, alg, ...(d !== undefined && { d }) }] })
  return 'keys' in set ? set.keys[0]?.key : undefined
}

/** The facts for the checks of a proof. */
interface DpopFacts {
  readonly proof: ParsedProof
  readonly facts: SenderFacts
  /** Epoch milliseconds. */
  readonly now: number
  readonly token: string
  /** The thumbprint to which the token is bound. */
  readonly key: string | undefined
}

/** Why the sender of a token has not proved possession. */
export interface SenderProblem {
  readonly reason: RefusalReason
  readonly note: string
}

type ExamineProof = (facts: DpopFacts) => SenderProblem | undefined | Promise<SenderProblem | undefined>

const examineKey: ExamineProof = ({ proof, key }) =>
  proof.thumbprint === key
    ? undefined
    : { reason: 'key-binding', note: 'the proof is by another key than that of the token' }

const examineSignature: ExamineProof = async ({ proof: { jwt, alg, key } }) =>
  (await verifySignature(jwt, { alg }, { key })) ? undefined : reject('the signature of the proof does not hold')

const examineMethod: ExamineProof = ({ proof, facts: { method } }) => {
  if (method === undefined) return reject(`${unstated} method of the request`)
  const { htm } = proof.jwt.claims
  return htm === method
    ? undefined
    : reject(`the proof is for ${describeValue(htm)}, and the request is ${method} (htm)`)
}

const unstated = 'the gateway does not pass on, or the verifier does not believe (--request-from), the'

const examineAddress: ExamineProof = ({ proof, facts: { host, path } }) => {
  if (host === undefined || path === undefined) return reject(`${unstated} address of the request`)
  const { htu } = proof.jwt.claims
  return typeof htu === 'string' && isAddress(htu, host, path)
    ? undefined
    : reject(`the proof is for another address than that of the request (htu)`)
}

/** How far the time of a proof may differ from this machine's clock; RFC 9449, section 11.1, suggests seconds or minutes. Our decision. */
export const proofAgeSec = 60

const examineAge: ExamineProof = ({ proof, now }) => {
  const { iat } = proof.jwt.claims
  if (typeof iat !== 'number') return reject('the proof does not say when it was made (iat)')
  const ageSec = now / 1000 - iat
  if (Math.abs(ageSec) < proofAgeSec) return undefined
  const when = ageSec > 0 ? `${Math.floor(ageSec)} s ago` : `${Math.floor(-ageSec)} s in the future`
  return reject(`the proof was made ${when}, and at most ${proofAgeSec} s are accepted (iat)`)
}

const examineToken: ExamineProof = ({ proof, token }) =>
  proof.jwt.claims.ath === hash('sha256', token, 'base64url')
    ? undefined
    : reject('the proof is for another token (ath)')

/** The checks of a well-formed proof, by the names under which they are listed. */
export const proofChecks = {
  'proof key': examineKey,
  'proof signature': examineSignature,
  'proof method': examineMethod,
  'proof address': examineAddress,
  'proof age': examineAge,
  'proof token': examineToken,
} as const satisfies Readonly<Record<string, ExamineProof>>

function reject(note: string): SenderProblem {
  return { reason: 'proof', note }
}

/**
 * Returns whether `htu` is the address of the request without query and fragment, both normalized (RFC 3986, section 6.2). If the gateway
 * passes no port, any port is accepted. Plain `http` is accepted only on loopback.
 */
function isAddress(htu: string, host: string, path: string): boolean {
  const [stated, requested] = [URL.parse(htu), URL.parse(`https://${host}${path}`)]
  if (!stated || !requested || requested.pathname === '' || !path.startsWith('/')) return false
  const isSameHost = /:\d+$/.test(host)
    ? toPort(stated) === toPort(new URL(`${stated.protocol}//${host}`)) && stated.hostname === requested.hostname
    : stated.hostname === requested.hostname
  return isSecureAddress(stated) && isSameHost && toNormalPath(stated.pathname) === toNormalPath(requested.pathname)
}

function toPort({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80')
}

/** Normalizes a path (RFC 3986, sections 6.2.2.1 and 6.2.2.2); `URL` has removed dot segments. */
function toNormalPath(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16))
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase()
  })
}

/**
 * Returns the key under which the use of a proof is recorded, from its key and `jti`, and when the record may end: nobody accepts the proof
 * afterwards.
 */
export function toProofUse({ thumbprint, jti, jwt }: ParsedProof): { readonly digest: string; readonly until: number } {
  const iat = Number(jwt.claims.iat)
  return { digest: hash('sha256', `dpop\n${thumbprint}\n${jti}`), until: (iat + proofAgeSec) * 1000 }
}
