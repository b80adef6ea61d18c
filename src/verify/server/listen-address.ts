import { isLoopback } from '../../runtime/network/loopback.ts'

/** The address at which a server listens. */
export type ListenAddress =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string }

/** Parses `HOST:PORT`, `[ADDRESS]:PORT`, or the path of a Unix socket, also after `unix:`; `undefined` for anything else; pure. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const path = /^unix:(.+)$/s.exec(text)?.[1] ?? (text.includes('/') ? text : undefined)
  if (path !== undefined) return { kind: 'socket', path }
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|([\w.-]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || Number(port) > 65_535 ? undefined : { kind: 'tcp', host, port: Number(port) }
}

/** An address as a person writes it; pure. */
export function renderListenAddress(address: ListenAddress): string {
  if (address.kind === 'socket') return `unix:${address.path}`
  const { host, port } = address
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Whether only programs of this machine can connect; pure. */
export function isLocalAddress(address: ListenAddress): boolean {
  return address.kind === 'socket' || isLoopback(address.host)
}
