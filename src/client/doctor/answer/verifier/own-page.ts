/** Servers that answer with a page of their own where nobody has given them another one, by its heading and its end. */
const servers: readonly (readonly [name: string, mark: RegExp])[] = [
  ['nginx', /<center>(?:nginx|openresty)\b/i],
  [
    'Apache',
    /<address>Apache\b|<p>(?:This server could not verify|You don't have permission to access this resource|Your browser sent a request that this server could not understand)/i,
  ],
  [
    'HAProxy',
    /<h1>4\d\d [a-z]+ ?[a-z]*<\/h1>\s*(?:You need a valid|Request forbidden by administrative rules|Your browser sent an invalid request)/i,
  ],
]

/** The server whose own page an answer is. */
export function findOwnPage(text: string): string | undefined {
  return servers.find(([, mark]) => mark.test(text.slice(0, 4096)))?.[0]
}
