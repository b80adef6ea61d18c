import { isLoopback } from '../../runtime/network/addresses.ts'

/** The ports at which the servers of the command listen, unless an option names another. */
export const usualPorts = {
  gateway: 8788,
  verifier: 8790,
  verifierAdmin: 8791,
  sts: 8792,
  verifierGrpc: 8793,
  configuration: 8794,
} as const

/** The socket of a verifier that systemd starts; `packaging/systemd/` names it too. */
export const verifierSocket = '/run/gatepass/verifier.sock'

/** The address at which a server listens. */
export type ListenAddress =
  /** The host `*` means every address of this machine, IPv6 and IPv4. */
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'socket'; readonly path: string }
  /** A socket that was opened before this process started; its address is known once the server listens. */
  | { readonly kind: 'descriptor'; readonly fd: number; readonly name: string }

/**
 * An address as an option states it. It may also be a socket from systemd, by its `FileDescriptorName=`, which may be absent if there is
 * only one.
 */
export type GivenAddress =
  | Exclude<ListenAddress, { kind: 'descriptor' }>
  | { readonly kind: 'passed'; readonly name?: string | undefined }

/**
 * Parses `HOST:PORT`, `[ADDRESS]:PORT`, `*:PORT`, the path of a Unix socket, also after `unix:`, or `systemd` and `systemd:NAME` for a socket that
 * systemd passes; `undefined` for anything else; pure.
 */
export function parseListenAddress(text: string): GivenAddress | undefined {
  const [isPassed, name] = /^systemd(?::([!-9;-~]+))?$/.exec(text) ?? []
  if (isPassed !== undefined) return { kind: 'passed', name }
  const path = /^unix:(.+)$/s.exec(text)?.[1] ?? (text.includes('/') ? text : undefined)
  if (path !== undefined) return { kind: 'socket', path }
  const [, bracketed, plain, port = ''] = /^(?:\[([\da-f:.]+)\]|(\*|[\w.-]+)):(\d{1,5})$/i.exec(text) ?? []
  const host = bracketed ?? plain
  return host === undefined || Number(port) > 65_535 ? undefined : { kind: 'tcp', host, port: Number(port) }
}

/**
 * Renders an address as a person writes it; pure.
 * @param scheme The scheme of the server there.
 */
export function renderListenAddress(address: ListenAddress, scheme: 'http' | 'https' = 'http'): string {
  if (address.kind === 'socket') return `unix:${address.path}`
  if (address.kind === 'descriptor') return `systemd:${address.name}`
  const { host, port } = address
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Returns whether it is certain that only programs of this machine can connect; pure. */
export function isLocalAddress(address: ListenAddress | GivenAddress): boolean {
  return address.kind === 'socket' || (address.kind === 'tcp' && isLoopback(address.host))
}
