import { posix } from 'node:path'
import type { Environment } from '../../../runtime/environment.ts'

/** A socket on which a bus may listen. */
export interface BusAddress {
  /** As `node:net` takes it: an abstract socket begins with a NUL. */
  readonly path: string
  /** The id that the bus must show; whoever else listens at an abstract address does not know it. */
  readonly guid?: string | undefined
}

/**
 * Where the bus of this session may be, in order (D-Bus Specification, "Server Addresses" and "Login session message bus").
 * Empty where nothing names one, or what is named is no socket of this machine.
 */
export function parseBusAddresses({ DBUS_SESSION_BUS_ADDRESS, XDG_RUNTIME_DIR }: Environment): BusAddress[] {
  const runtime = XDG_RUNTIME_DIR?.startsWith('/') ? posix.join(XDG_RUNTIME_DIR, 'bus') : undefined
  if (!DBUS_SESSION_BUS_ADDRESS) return runtime ? [{ path: runtime }] : []
  return DBUS_SESSION_BUS_ADDRESS.split(';').flatMap((text) => parseAddress(text, runtime) ?? [])
}

function parseAddress(text: string, runtime: string | undefined): BusAddress | undefined {
  const [, transport = '', list = ''] = /^(\w+):(.*)$/s.exec(text) ?? []
  if (transport !== 'unix') return undefined
  const settings = new Map(list.split(',').map((each) => parseSetting(each)))
  const abstract = settings.get('abstract')
  const path = abstract ? `\0${abstract}` : settings.get('runtime') === 'yes' ? runtime : settings.get('path')
  return path ? { path, guid: settings.get('guid') } : undefined
}

function parseSetting(text: string): [string, string] {
  const [name = '', ...rest] = text.split('=')
  return [name, decodeBytes(rest.join('='))]
}

/** Bytes stand as `%` with two hexadecimal digits. What is none stays. */
function decodeBytes(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
