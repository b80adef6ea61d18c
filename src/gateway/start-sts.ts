import { randomBytes, timingSafeEqual } from 'node:crypto'
import { HttpRequest } from '@smithy/core/protocols'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'
import { callerIdentityAction, parsePrincipal, proofLifeSec, stsNamespace } from '../contract/aws/caller-identity.ts'
import { Secret } from '../runtime/secret.ts'
import { parseAmzDate } from '../runtime/tokens/presigned-request.ts'
import { createHttpServer, startListening } from './http/http-server.ts'

/** A caller that the stand-in for AWS STS accepts, with an access key that AWS has never issued. */
export interface StandInCaller {
  readonly arn: string
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
}

/** Creates a caller with a new access key in AWS's form. */
export function createStsCaller(arn: string): StandInCaller {
  const id = randomBytes(16).toString('hex').toUpperCase().slice(0, 16)
  return { arn, accessKeyId: `AKIA${id}`, secretAccessKey: new Secret(randomBytes(30).toString('base64')) }
}

/** The settings of the stand-in for AWS STS. */
interface StsSettings {
  readonly callers: readonly StandInCaller[]
  /** 0 takes any free port. */
  readonly port: number
  readonly now: () => number
  /** Receives one line for each request, which repeats no part of the request. */
  readonly onAnswer: (line: string) => void
}

/**
 * Starts a stand-in for AWS STS on loopback. It answers `GetCallerIdentity` for every request that the key of a caller has signed, for any
 * host, and refuses other requests with the messages of AWS STS.
 * @throws {HelperError} for a port that cannot be used.
 */
export async function startSts({ callers, port, now, onAnswer }: StsSettings) {
  const server = createHttpServer(
    async (request) => {
      const answer = await answerRequest(request, callers, now())
      onAnswer('arn' in answer ? `200 ${answer.arn}` : `${answer.status} ${answer.code}`)
      return toStsResponse(answer)
    },
    () => 'trial',
  )
  return startListening(server, port)
}

/** A refusal, with the code and the message that AWS STS would give. */
interface StsRefusal {
  readonly status: number
  readonly code: string
  readonly message: string
}

type StandInAnswer = { readonly arn: string } | StsRefusal

/** A request that proves an identity has a body of some forty bytes. */
const longestBody = 1024

async function answerRequest(request: Request, callers: readonly StandInCaller[], now: number): Promise<StandInAnswer> {
  const length = Number(request.headers.get('content-length') ?? (request.body === null ? 0 : Number.NaN))
  if (!(length <= longestBody)) return reject(400, 'ValidationError', 'The body is too long for this stand-in')
  const signed = parseSigned(request, await request.text())
  if (!signed) return reject(403, 'MissingAuthenticationToken', 'Request is missing Authentication Token')
  const asked = signed.claim.location === 'query' ? new URLSearchParams(signed.query) : new URLSearchParams(signed.body)
  const { Action, Version } = callerIdentityAction
  if (signed.path !== '/' || asked.get('Action') !== Action || asked.get('Version') !== Version)
    return reject(400, 'InvalidAction', `This stand-in answers ${Action} alone`)
  const caller = callers.find(({ accessKeyId }) => accessKeyId === signed.claim.accessKeyId)
  if (!caller) return reject(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.')
  return (await validateSignature(signed, caller, now)) ?? { arn: caller.arn }
}

function reject(status: number, code: string, message: string): StsRefusal {
  return { status, code, message }
}

/** The parts of a request that describe its signature, not verified yet. */
interface ReceivedSignature {
  readonly location: 'query' | 'header'
  readonly accessKeyId: string
  readonly day: string
  readonly region: string
  readonly service: string
  readonly date: string
  readonly signedHeaders: readonly string[]
  readonly signature: string
}

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  /** The query without the parameters that a signature adds. */
  readonly query: Readonly<Record<string, string>>
  readonly expiresSec: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly claim: ReceivedSignature
}

/** Returns `undefined` for a request that is not signed by Signature Version 4, or not in this form. */
function parseSigned({ method, url, headers }: Request, body: string): ReceivedRequest | undefined {
  const { pathname: path, searchParams } = new URL(url)
  const claim = parseClaim(headers, searchParams)
  if (!claim) return undefined
  const query = Object.fromEntries([...searchParams].filter(([name]) => !name.startsWith('X-Amz-')))
  const values = Object.fromEntries(claim.signedHeaders.map((name) => [name, headers.get(name) ?? '']))
  const expiresSec = Number(searchParams.get('X-Amz-Expires') ?? proofLifeSec)
  return { method, path, query, expiresSec, headers: values, body, claim }
}

/** Parses the signature from the header if there is one; otherwise from the query, as other servers do. */
function parseClaim(headers: Headers, parameters: URLSearchParams): ReceivedSignature | undefined {
  const authorization = headers.get('authorization')
  const location = authorization === null ? 'query' : 'header'
  const stated = (name: string) =>
    (authorization === null
      ? parameters.get(`X-Amz-${name}`)
      : new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1]) ?? ''
  const [accessKeyId = '', day = '', region = '', service = '', end] = stated('Credential').split('/')
  const signature = stated('Signature')
  if (end !== 'aws4_request' || !/^[0-9a-f]{64}$/.test(signature)) return undefined
  const date = (location === 'query' ? parameters.get('X-Amz-Date') : headers.get('x-amz-date')) ?? ''
  const signedHeaders = stated('SignedHeaders').split(';')
  return { location, accessKeyId, day, region, service, date, signedHeaders, signature }
}

/** How far a request may be in the future, in seconds: observed in messages of AWS STS. */
const clockSkewSec = 300

async function validateSignature(
  request: ReceivedRequest,
  caller: StandInCaller,
  now: number,
): Promise<StsRefusal | undefined> {
  const { claim } = request
  const mismatch = (message: string) => reject(403, 'SignatureDoesNotMatch', message)
  const signedAt = parseAmzDate(claim.date)
  if (signedAt === undefined || !claim.date.startsWith(claim.day) || claim.service !== 'sts')
    return mismatch('Credential should be scoped to correct service and date.')
  const expected = Buffer.from(await sign(request, caller, signedAt))
  const isSigned = claim.signedHeaders.includes('host') && timingSafeEqual(expected, Buffer.from(claim.signature))
  if (!isSigned) return mismatch('The request signature we calculated does not match the signature you provided.')
  const ageSec = (now - signedAt) / 1000
  if (ageSec < -clockSkewSec) return mismatch(`Signature not yet current: ${claim.date} is in the future`)
  return ageSec >= proofLifeSec ? mismatch(`Signature expired: ${claim.date} is too long ago`) : undefined
}

/** Computes the signature of a request with the caller's key, in hexadecimal: the same request has the same signature. */
async function sign(
  { claim, expiresSec, ...parts }: ReceivedRequest,
  caller: StandInCaller,
  signedAt: number,
): Promise<string> {
  const credentials = { accessKeyId: caller.accessKeyId, secretAccessKey: caller.secretAccessKey.reveal() }
  const { region, service } = claim
  const sha256 = Hash.bind(null, 'sha256')
  const signer = new SignatureV4({ service, region, sha256, credentials, applyChecksum: false })
  const request = new HttpRequest({ protocol: 'https:', ...parts })
  const times = { signingDate: new Date(signedAt), signableHeaders: new Set(claim.signedHeaders) }
  if (claim.location === 'query') {
    const { query } = await signer.presign(request, { ...times, expiresIn: Math.min(expiresSec || 0, proofLifeSec) })
    return String(query?.['X-Amz-Signature'])
  }
  const { headers } = await signer.sign(request, times)
  return /Signature=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? ''
}

/** Renders XML, as AWS STS does unless the request accepts JSON. */
function toStsResponse(answer: StandInAnswer): Response {
  const toResponse = (xml: string, status: number) =>
    new Response(xml, { status, headers: { 'content-type': 'text/xml' } })
  const space = `xmlns="${stsNamespace}"`
  if (!('arn' in answer)) {
    const { status, code, message } = answer
    const error = `<Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error>`
    return toResponse(`<ErrorResponse ${space}>${error}<RequestId>trial</RequestId></ErrorResponse>`, status)
  }
  const { arn } = answer
  const { account, sessionName } = parsePrincipal(arn)
  const userId = sessionName === undefined ? 'AIDATRIAL' : `AROATRIAL:${sessionName}`
  const result = `<Arn>${arn}</Arn><UserId>${userId}</UserId><Account>${account}</Account>`
  return toResponse(
    `<GetCallerIdentityResponse ${space}><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`,
    200,
  )
}
