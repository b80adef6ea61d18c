import type { Finding } from '../finding.ts'
import { createFinding } from '../finding.ts'

/** The system whose rules decide whether a path is absolute. */
export type PathStyle = 'posix' | 'windows'

/** Why the client would not find a program or directory by this value, if so. No shell expands the value. */
export function findPathProblem(value: string, style: PathStyle, path: string): Finding | undefined {
  const example = style === 'windows' ? 'C:\\Program Files\\…' : '/usr/local/bin/…'
  const absolute = `write the full path, such as ${example}`
  if (/[\u0000-\u001f\u007f]/.test(value))
    return createFinding('control-in-path', path, 'it has a control character, such as NUL or a line break', absolute)
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
  if (isAbsolute(value, style)) return findBlankAtEnd(value, path)
  return createFinding(
    'relative-path',
    path,
    value === ''
      ? 'it is empty'
      : `it is not an absolute path on ${style === 'windows' ? 'Windows' : 'macOS and Linux'}`,
    absolute,
  )
}

function findBlankAtEnd(value: string, path: string): Finding | undefined {
  if (!/\s$/.test(value)) return undefined
  return createFinding('blank-at-end', path, 'it ends with a blank, which is part of no file name', 'remove the blank')
}

/** Why an absolute path names a directory, where a program is expected. */
export function findSlashAtEnd(value: string, style: PathStyle, path: string): Finding | undefined {
  if (!(style === 'windows' ? /[/\\]$/ : /\/$/).test(value)) return undefined
  return createFinding(
    'slash-at-end',
    path,
    'it ends with a slash, so it names a directory',
    'write the path of the program in it',
  )
}

/** Why the client would not start a file of this name, if so: on Windows the ending decides. */
export function findTypeProblem(value: string, style: PathStyle, path: string): Finding | undefined {
  if (style === 'posix' || /\.(exe|com|cmd|bat|ps1)$/i.test(value)) return undefined
  return createFinding(
    'file-type',
    path,
    'on Windows clients start .exe, .com, .cmd, .bat and .ps1 files only',
    'write the path with its ending, or name a file of one of these types',
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
