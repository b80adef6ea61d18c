/** A presigned AWS request that a token holds. */
export interface PresignedRequest {
  readonly host: string
  /** The query without `?`, with its parameters in their original order. */
  readonly query: string
  readonly parameters: URLSearchParams
  /** The date of the signature, in epoch milliseconds. */
  readonly signedAt: number
  readonly expiresSec: number
}

/** Parses the presigned request in a token: as plain text, or in base64 after a prefix. `undefined` if there is none; pure. */
export function parsePresigned(token: string): PresignedRequest | undefined {
  const encoded = /^(?:[a-z0-9.-]+[-.])?([A-Za-z0-9+/_=-]+)$/.exec(token)?.[1]
  const text = token.includes('X-Amz-Expires=') ? token : Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const [, host, query] = /^(?:https:\/\/)?([a-z0-9.-]+)\/?\?([\x21-\x7e]+)$/.exec(text) ?? []
  if (host === undefined || query === undefined) return undefined
  const parameters = new URLSearchParams(query)
  const signedAt = parseAmzDate(parameters.get('X-Amz-Date') ?? '')
  const expiresSec = Number(parameters.get('X-Amz-Expires') ?? Number.NaN)
  if (signedAt === undefined || !Number.isInteger(expiresSec)) return undefined
  return { host, query, parameters, signedAt, expiresSec }
}

/** Parses a date in AWS's signed form, `20260115T120000Z`, to epoch milliseconds; `undefined` for any other text; pure. */
export function parseAmzDate(text: string): number | undefined {
  const [, year, month, day, hours, minutes, seconds] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)?.map(Number) ?? []
  if (year === undefined || month === undefined) return undefined
  const at = new Date(Date.UTC(year, month - 1, day, hours, minutes, seconds))
  // A day or hour that does not exist would silently become another one.
  return at.toISOString().replace(/[-:]|\.\d+/g, '') === text ? at.getTime() : undefined
}
