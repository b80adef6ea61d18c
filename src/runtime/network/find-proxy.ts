import { BlockList, isIP } from 'node:net'
import { type Problem, validateReading } from '../failure.ts'
import { detectAddressFamily, isLoopback, normalizeHost } from './addresses.ts'
import { type ForwardProxy, parseProxy } from './forward-proxy.ts'
import type { NetworkSettings } from './settings.ts'

/**
 * Finds the proxy for a URL; `undefined` if the host is reached directly, as this machine always is.
 * @throws {HelperError} `not-configured` for a kind of proxy that is not supported.
 */
export function findProxy(
  { hostname, port, protocol }: URL,
  { proxy, noProxy = '' }: Pick<NetworkSettings, 'proxy' | 'noProxy'>,
): ForwardProxy | undefined {
  if (!proxy || isLoopback(hostname)) return undefined
  const target = { host: normalizeHost(hostname), port: port || (protocol === 'https:' ? '443' : '80') }
  if (listExemptions(noProxy).some((entry) => isCovered(entry, target))) return undefined
  return parseProxy(proxy.url.reveal(), proxy.origin)
}

/** Validates the proxy: the problem that every request through it would have; empty if there is none, or if no request needs the proxy. */
export function validateProxy({ proxy, noProxy = '' }: Pick<NetworkSettings, 'proxy' | 'noProxy'>): Problem[] {
  if (!proxy || listExemptions(noProxy).includes('*')) return []
  return validateReading(() => parseProxy(proxy.url.reveal(), proxy.origin))
}

function listExemptions(noProxy: string): string[] {
  return noProxy.split(/[\s,]+/).filter((entry) => entry !== '')
}

/** Returns whether an entry of `NO_PROXY` covers a host. An entry that cannot be parsed covers nothing, as in curl. */
function isCovered(entry: string, { host, port }: { readonly host: string; readonly port: string }): boolean {
  if (entry === '*') return true
  const { name, onlyPort } = parseEntry(entry)
  if (onlyPort !== undefined && onlyPort !== port) return false
  if (name.includes('/')) return isInSubnet(host, name)
  if (isIP(name) !== 0) return isInSubnet(host, `${name}/${isIP(name) === 6 ? 128 : 32}`)
  return name !== '' && isIP(host) === 0 && (host === name || host.endsWith(`.${name}`))
}

/** Parses an entry: `name`, `.name`, `*.name`, an address or a network; each with or without `:port`, for which IPv6 needs brackets. */
function parseEntry(entry: string): { name: string; onlyPort: string | undefined } {
  const isBareAddress = isIP(entry.split('/')[0] ?? '') === 6
  const [, name = entry, onlyPort] = (!isBareAddress && /^(.*):(\d+)$/.exec(entry)) || []
  return { name: normalizeHost(name).replace(/^\*?\./, ''), onlyPort }
}

function isInSubnet(host: string, network: string): boolean {
  const [address = '', length = ''] = network.split('/')
  const bits = isIP(address) === 6 ? 128 : 32
  if (isIP(host) === 0 || isIP(address) === 0 || !/^\d{1,3}$/.test(length) || Number(length) > bits) return false
  const list = new BlockList()
  list.addSubnet(address, Number(length), detectAddressFamily(address))
  return list.check(host, detectAddressFamily(host))
}
