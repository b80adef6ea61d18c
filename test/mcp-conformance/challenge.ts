/** What a server that refuses a request says of the authorization that it needs (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface Challenge {
  readonly scope: string | undefined
  readonly metadata: string | undefined
}

export function parseChallenge(header: string): Challenge {
  const find = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1]
  return { scope: find('scope'), metadata: find('resource_metadata') }
}
