/** The cookies of one person: by host and path, without regard to ports (RFC 6265, sections 5.1.4 and 8.5). */
export interface CookieJar {
  /** The `Cookie` header for an address; empty where there is none. */
  render(address: URL): string
  /** Takes in the `Set-Cookie` headers of an answer. */
  keep(address: URL, lines: readonly string[]): void
}

export function createCookieJar(): CookieJar {
  const cookies = new Map<string, { host: string; path: string; name: string; value: string }>()
  return {
    render: ({ hostname, pathname }) =>
      [...cookies.values()]
        .filter(({ host, path }) => host === hostname && isWithin(pathname, path))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    keep: ({ hostname }, lines) => {
      for (const line of lines) {
        const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
        const [name = '', value = ''] = splitOnce(pair)
        const read = new Map(attributes.map((text) => splitOnce(text.toLowerCase())))
        const path = attributes.find((text) => /^path=/i.test(text))?.slice(5) ?? '/'
        const key = [hostname, path, name].join(' ')
        const isOver = Date.parse(read.get('expires') ?? '') <= Date.now() || read.get('max-age') === '0'
        if (isOver) cookies.delete(key)
        else cookies.set(key, { host: hostname, path, name, value })
      }
    },
  }
}

const isWithin = (pathname: string, path: string) =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)

function splitOnce(text: string): [string, string] {
  const at = text.indexOf('=')
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}
