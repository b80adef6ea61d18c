import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

/** The system whose rules decide whether a path is absolute. */
export type PathStyle = 'posix' | 'windows'

/** Why the client would not find a program or directory by this value, if so. No shell expands the value. */
export function findPathProblem(value: string, style: PathStyle, path: string): Finding | undefined {
  const example = style === 'windows' ? 'C:\\Program Files\\…' : '/usr/local/bin/…'
  const absolute = `write the full path, such as ${example}`
  if (value.startsWith('~')) return createFinding('tilde-in-path', path, '~ is not expanded', absolute)
  if (/%[^%\s\\/]+%|\$\{?[A-Za-z_]\w*\}?/.test(value))
    return createFinding('variable-in-path', path, 'variables are not expanded', absolute)
  if (/^(\\\\|\/\/)/.test(value))
    return createFinding(
      'unc-path',
      path,
      'network paths are refused',
      'install the program on the machine itself, and write its full path',
    )
  if (isAbsolute(value, style)) return undefined
  return createFinding(
    'relative-path',
    path,
    value === ''
      ? 'it is empty'
      : `it is not an absolute path on ${style === 'windows' ? 'Windows' : 'macOS and Linux'}`,
    absolute,
  )
}

/** Whether a value that must be a path alone has arguments or quotes. Spaces inside a path are allowed. */
export function hasArguments(value: string): boolean {
  return /^["']/.test(value) || /\s(--?\w|\/)/.test(value) || /\.(exe|cmd|bat|ps1|sh|py|js)\s+\S/i.test(value)
}

/** Whether a path is absolute by the rules of that system. */
export function isAbsolute(value: string, style: PathStyle): boolean {
  return style === 'windows' ? /^[A-Za-z]:[/\\]/.test(value) : value.startsWith('/')
}
