/** The challenge of a server that refuses a request: the authorization that it requires (RFC 6750, section 3; RFC 9728, section 5.1). */
export interface Challenge {
  readonly scope: string | undefined
  readonly metadata: string | undefined
}

export function parseChallenge(header: string): Challenge {
  const find = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(header)?.[1]
  return { scope: find('scope'), metadata: find('resource_metadata') }
}
