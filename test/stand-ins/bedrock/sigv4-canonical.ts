import { createHash, createHmac } from 'node:crypto'

/** A request as SigV4 sees it: header names in lower case, query names and values decoded. */
export interface Wire {
  method: string
  url: URL
  headers: Map<string, string>
  query: [name: string, value: string][]
}

/** The request is not a signed request. */
export class MalformedRequest extends Error {}

/** @throws {MalformedRequest} for a URL that is not absolute or not percent-encoded */
export function parseWire(
  method: string,
  address: string,
  sentHeaders: Record<string, string | string[] | undefined>,
): Wire {
  const url = URL.parse(address)
  if (!url) throw new MalformedRequest('the URL cannot be read')
  const headers = new Map([['host', url.host]])
  for (const [name, value] of Object.entries(sentHeaders)) {
    if (value !== undefined) headers.set(name.toLowerCase(), [value].flat().map(trimAll).join(','))
  }
  const pairs = url.search.slice(1).split('&').filter(Boolean)
  const query = pairs.map((pair): [string, string] => {
    const [name = '', ...value] = pair.split('=')
    return [decode(name), decode(value.join('='))]
  })
  return { method, url, headers, query }
}

/** Renders the text of which a signature is made: https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html */
export function renderCanonicalRequest(
  wire: Wire,
  service: string,
  signedHeaders: string[],
  payloadHash: string,
): string {
  const { method, url, headers, query } = wire
  const pairs = query.filter(([name]) => name !== 'X-Amz-Signature')
  const encoded = pairs.map(([name, value]): [string, string] => [encode(name), encode(value)]).sort(byNameThenValue)
  return [
    method,
    service === 's3' ? url.pathname : encodePathAgain(url.pathname),
    encoded.map((pair) => pair.join('=')).join('&'),
    ...signedHeaders.map((name) => `${name}:${headers.get(name)}`),
    '',
    signedHeaders.join(';'),
    payloadHash,
  ].join('\n')
}

/** `scope` is the day, region, service and `aws4_request`, each of which derives a key from the one before. */
export function signCanonicalRequest(secret: string, scope: string[], amzDate: string, canonical: string): string {
  const key = scope.reduce<string | Buffer>((parent, part) => hmac(parent, part), `AWS4${secret}`)
  const text = ['AWS4-HMAC-SHA256', amzDate, scope.join('/'), sha256(canonical)].join('\n')
  return hmac(key, text).toString('hex')
}

export function sha256(bytes: string | Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/**
 * Parses a time such as `20150830T123600Z`, in UTC.
 * @throws {MalformedRequest} for a day or hour that does not exist
 */
export function parseAmzDate(text: string): Date {
  const date = new Date(text.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  if (Number.isNaN(date.getTime())) throw new MalformedRequest('X-Amz-Date is not a date')
  return date
}

export function renderAmzDate(date: Date): string {
  return date.toISOString().replace(/[-:]|\.\d{3}/g, '')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new MalformedRequest('the query is not valid percent-encoding')
  }
}

/** Every service but S3 encodes the path a second time, and joins repeated slashes. */
function encodePathAgain(path: string): string {
  return path.replace(/\/+/g, '/').split('/').map(encode).join('/')
}

/** RFC 3986: `encodeURIComponent` leaves five reserved characters as they are. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function byNameThenValue(a: [string, string], b: [string, string]): number {
  return a.join('\0') < b.join('\0') ? -1 : 1
}

function trimAll(text: string): string {
  return text.trim().replace(/ +/g, ' ')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
