import { MalformedRequest, parseAmzDate, type Wire } from './sigv4-canonical.ts'

/** The claim of a signed request, well-formed and not yet verified. */
export interface SignatureClaim {
  accessKeyId: string
  /** The day, region, service and `aws4_request`. */
  scope: [day: string, region: string, service: string, terminator: string]
  amzDate: string
  signedAt: Date
  signedHeaders: string[]
  signature: string
  sessionToken: string | undefined
}

/** Parses the claim of a presigned URL, with the life it asks for. @throws {MalformedRequest} */
export function parseQueryClaim(wire: Wire): SignatureClaim & { expiresSec: number } {
  demand(/^AWS4-HMAC-SHA256$/, sole(wire, 'X-Amz-Algorithm'), 'X-Amz-Algorithm')
  const expiresSec = Number(demand(/^[1-9]\d{0,5}$/, sole(wire, 'X-Amz-Expires'), 'X-Amz-Expires'))
  if (expiresSec > longestLifeSec) throw new MalformedRequest(`X-Amz-Expires is above ${longestLifeSec}`)
  const claim = parseClaim(wire, {
    credential: sole(wire, 'X-Amz-Credential'),
    amzDate: sole(wire, 'X-Amz-Date'),
    signedHeaders: sole(wire, 'X-Amz-SignedHeaders'),
    signature: sole(wire, 'X-Amz-Signature'),
  })
  return { ...claim, sessionToken: sole(wire, 'X-Amz-Security-Token'), expiresSec }
}

/** Parses the claim of an `Authorization` header. @throws {MalformedRequest} */
export function parseHeaderClaim(wire: Wire): SignatureClaim {
  const authorization = demand(/^AWS4-HMAC-SHA256 /, wire.headers.get('authorization'), 'Authorization')
  const part = (name: string) => new RegExp(`[ ,]${name}=([^, ]+)`).exec(authorization)?.[1]
  const claim = parseClaim(wire, {
    credential: part('Credential'),
    amzDate: wire.headers.get('x-amz-date'),
    signedHeaders: part('SignedHeaders'),
    signature: part('Signature'),
  })
  return { ...claim, sessionToken: wire.headers.get('x-amz-security-token') }
}

/** A week, the most that any service accepts in `X-Amz-Expires`. */
const longestLifeSec = 604_800

type ClaimText = Record<'credential' | 'amzDate' | 'signedHeaders' | 'signature', string | undefined>

function parseClaim(wire: Wire, text: ClaimText): Omit<SignatureClaim, 'sessionToken'> {
  const credential = demand(/^[^/]+\/\d{8}\/[^/]+\/[^/]+\/aws4_request$/, text.credential, 'Credential')
  const [accessKeyId, ...scope] = credential.split('/') as [string, string, string, string, string] // the shape above
  const amzDate = demand(/^\d{8}T\d{6}Z$/, text.amzDate, 'X-Amz-Date')
  if (!amzDate.startsWith(scope[0]))
    throw new MalformedRequest('the credential scope is of another day than X-Amz-Date')
  const signature = demand(/^[0-9a-f]{64}$/, text.signature, 'Signature')
  const signedHeaders = demandSignedHeaders(wire, text.signedHeaders)
  return { accessKeyId, scope, amzDate, signedAt: parseAmzDate(amzDate), signedHeaders, signature }
}

/** An `x-amz-*` header that is sent but not signed could be anyone's. */
function demandSignedHeaders({ headers }: Wire, list: string | undefined): string[] {
  const names = demand(/^[a-z0-9-]+(;[a-z0-9-]+)*$/, list, 'SignedHeaders').split(';')
  const required = [...headers.keys()].filter((name) => name === 'host' || name.startsWith('x-amz-'))
  const missing = required.find((name) => !names.includes(name)) ?? names.find((name) => !headers.has(name))
  if (missing) throw new MalformedRequest(`the header ${missing} must be both sent and signed`)
  return names
}

function demand(shape: RegExp, value: string | undefined, name: string): string {
  if (value === undefined || !shape.test(value)) throw new MalformedRequest(`${name} is missing or malformed`)
  return value
}

/** A parameter given twice could be signed as one value and read as the other. */
function sole({ query }: Wire, name: string): string | undefined {
  const values = query.filter(([other]) => other === name)
  if (values.length > 1) throw new MalformedRequest(`${name} is given more than once`)
  return values[0]?.[1]
}
