import { HttpRequest } from '@smithy/core/protocols'
import {
  callerIdentityAction,
  longestUrlProofBytes,
  type ProofForm,
  proofLifeSec,
} from '../../../contract/aws/caller-identity.ts'
import type { Call, MintedToken } from '../../../helper/define-helper.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { AwsCredentials } from '../credentials/credential-source.ts'
import { toAwsFacts } from '../credentials/credentials.ts'
import { queryType } from '../request/aws-error.ts'
import type { CallerIdentityPlan } from './plan-caller-identity.ts'
import { computeSecondsLeft, computeSigningDate, createSigner, renderQuery } from './short-term-key.ts'

/**
 * Creates a proof of an identity: a `GetCallerIdentity` request that is signed and not sent. The server that receives the proof sends it to
 * AWS STS, which answers with the caller. The proof expires with the credentials, or 15 minutes after its date.
 */
export async function signCallerIdentity(
  credentials: AwsCredentials,
  plan: CallerIdentityPlan,
  { now, call }: { now: number; call: Pick<Call, 'warn'> },
): Promise<MintedToken> {
  const signingDate = computeSigningDate(credentials, now)
  const token = plan.proof.prefix + (await signers[plan.proof.form](credentials, plan.proof, signingDate))
  if (plan.proof.form === 'url') tellLargeProof(token, call)
  const lifeSec = Math.min(computeSecondsLeft(credentials, signingDate), proofLifeSec)
  return {
    token: new Secret(token),
    expiresAt: new Date(now + lifeSec * 1000),
    clockOffsetMs: credentials.clockOffsetMs,
    facts: toAwsFacts(credentials, plan),
  }
}

type SignProof = (credentials: AwsCredentials, proof: CallerIdentityPlan['proof'], signingDate: Date) => Promise<string>

const signers: Readonly<Record<ProofForm, SignProof>> = { url: signUrl, vault: signLogin }

/** The stated life in seconds. AWS STS ignores it, and the first servers accepted at most 60 (aws-iam-authenticator). */
const statedLifeSec = 60

/** Renders the form of aws-iam-authenticator: the URL, signed in its query, in base64url without padding. */
async function signUrl(
  credentials: AwsCredentials,
  { host, region, audience }: CallerIdentityPlan['proof'],
  signingDate: Date,
): Promise<string> {
  const headers = { host, ...(audience && { [audience.name.toLowerCase()]: audience.value }) }
  const request = new HttpRequest({
    method: 'GET',
    protocol: 'https:',
    hostname: host,
    query: callerIdentityAction,
    headers,
  })
  const signed = await createSigner(credentials, { service: 'sts', region }).presign(request, {
    signingDate,
    expiresIn: statedLifeSec,
    signableHeaders: new Set(Object.keys(headers)),
  })
  return Buffer.from(`https://${host}/?${renderQuery(signed)}`).toString('base64url')
}

/** Renders the fields of a login with Vault's AWS auth method, as JSON in base64, so that they are one word. */
async function signLogin(
  credentials: AwsCredentials,
  { host, region, audience }: CallerIdentityPlan['proof'],
  signingDate: Date,
): Promise<string> {
  const body = new URLSearchParams(callerIdentityAction).toString()
  const headers = {
    'Content-Type': queryType,
    Host: host,
    ...(audience && { [audience.name]: audience.value }),
  }
  const request = new HttpRequest({ method: 'POST', protocol: 'https:', hostname: host, headers, body })
  const signed = await createSigner(credentials, { service: 'sts', region }).sign(request, {
    signingDate,
    signableHeaders: new Set(Object.keys(headers).map((name) => name.toLowerCase())),
  })
  const login = {
    iam_http_request_method: 'POST',
    iam_request_url: toBase64(`https://${host}/`),
    iam_request_body: toBase64(body),
    iam_request_headers: toBase64(JSON.stringify(toHeaderLists(signed.headers))),
  }
  return toBase64(JSON.stringify(login))
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64')
}

/** Converts headers to lists of values under Go's canonical names, which the oldest versions of Vault expect. */
function toHeaderLists(headers: Readonly<Record<string, string>>): Record<string, readonly string[]> {
  const entries = Object.entries(headers).map(([name, value]) => {
    const spelled = /[A-Z]/.test(name) ? name : name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())
    return [spelled, [value]] as const
  })
  return Object.fromEntries(entries)
}

function tellLargeProof({ length }: { length: number }, call: Pick<Call, 'warn'>): void {
  if (length <= longestUrlProofBytes) return
  call.warn(
    `the proof has ${length} bytes, and aws-iam-authenticator reads at most ${longestUrlProofBytes}: have the session made with fewer or shorter tags`,
  )
}
