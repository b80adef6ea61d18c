import { hostname } from 'node:os'

/**
 * The attributes of this machine, by OpenTelemetry's names: those of the options over the defaults. One that is set to nothing is
 * left out.
 * @param texts Each `name=value`.
 */
export function toResource(
  texts: readonly string[],
  version: string,
  { platform, machine = hostname() }: { platform: NodeJS.Platform; machine?: string },
): Readonly<Record<string, string>> {
  const own = texts.map((text): [string, string] => {
    const end = text.indexOf('=')
    return [text.slice(0, end), text.slice(end + 1)]
  })
  const defaults = {
    'service.name': 'gatepass',
    'service.version': version,
    'host.name': machine,
    'os.type': toSystem(platform),
  }
  return Object.fromEntries(Object.entries({ ...defaults, ...Object.fromEntries(own) }).filter(([, value]) => value))
}

/** A system by OpenTelemetry's name (semantic conventions, `os.type`), which differs from Node's for Windows alone. */
function toSystem(platform: NodeJS.Platform): string {
  return platform === 'win32' ? 'windows' : platform
}
