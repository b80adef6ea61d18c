import { HttpRequest } from '@smithy/core/protocols'
import { Hash } from '@smithy/core/serde'
import { SignatureV4 } from '@smithy/signature-v4'

/** The parts of a proof; everything has a default but the keys. */
export interface ProofParts {
  readonly credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
  readonly host?: string
  readonly region?: string
  readonly service?: string
  readonly header?: string
  readonly audience?: string | undefined
  readonly at?: number
  readonly expiresIn?: number
  /** The request of a login, in place of the one that proves an identity. */
  readonly form?: string
}

const usualForm = 'Action=GetCallerIdentity&Version=2011-06-15'

function createSigner({ credentials, region = 'eu-central-1', service = 'sts' }: ProofParts): SignatureV4 {
  return new SignatureV4({ service, region, sha256: Hash.bind(null, 'sha256'), credentials, applyChecksum: false })
}

/** Returns the URL of a signed request, in which nothing is encoded yet; by the AWS SDK's signer. */
export async function signUrl(parts: ProofParts): Promise<string> {
  const { host = 'sts.eu-central-1.amazonaws.com', header = 'x-k8s-aws-id', at = Date.now(), expiresIn = 60 } = parts
  const headers = { host, ...(parts.audience !== undefined && { [header]: parts.audience }) }
  const query = { Action: 'GetCallerIdentity', Version: '2011-06-15' }
  const request = new HttpRequest({ method: 'GET', protocol: 'https:', hostname: host, query, headers })
  const signed = await createSigner(parts).presign(request, { signingDate: new Date(at), expiresIn })
  const pairs = Object.entries(signed.query ?? {}).map(
    ([name, value]) => `${name}=${encodeURIComponent(String(value))}`,
  )
  return `https://${host}/?${pairs.join('&')}`
}

export function encodeUrl(url: string, prefix = 'k8s-aws-v1.'): string {
  return prefix + Buffer.from(url).toString('base64url')
}

/** The fields of a login of Vault, in which nothing is encoded yet. */
export interface OpenLogin {
  readonly method: string
  readonly url: string
  readonly body: string
  readonly headers: Record<string, unknown>
}

export async function signLogin(parts: ProofParts): Promise<OpenLogin> {
  const {
    host = 'sts.amazonaws.com',
    header = 'X-Vault-AWS-IAM-Server-ID',
    at = Date.now(),
    region = 'us-east-1',
    form: body = usualForm,
  } = parts
  const headers = {
    host,
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    ...(parts.audience !== undefined && { [header]: parts.audience }),
  }
  const request = new HttpRequest({ method: 'POST', protocol: 'https:', hostname: host, headers, body })
  const signed = await createSigner({ ...parts, region }).sign(request, { signingDate: new Date(at) })
  return { method: 'POST', url: `https://${host}/`, body, headers: signed.headers }
}

export function encodeLogin({ method, url, body: form, headers }: OpenLogin): string {
  const base64 = (text: string) => Buffer.from(text).toString('base64')
  const login = {
    iam_http_request_method: method,
    iam_request_url: base64(url),
    iam_request_body: base64(form),
    iam_request_headers: base64(JSON.stringify(headers)),
  }
  return base64(JSON.stringify(login))
}
