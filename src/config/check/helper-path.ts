// Holds the rules about a helper's paths, and about the identity provider in a document or in a helper's options.

import {
  type NameSetting,
  type ProviderSettings,
  toOptionName,
} from '../../contract/identity-providers/provider-settings.ts'
import { validateProvider } from '../../contract/identity-providers/validate-provider.ts'
import type { HelperScriptCredential, Oidc } from '../document.ts'
import { isDrivePath } from '../fields.ts'
import { createFinding, type Finding } from '../finding.ts'
import { toCredentialPath as at, type HelperFacts, type RuleSubject, reportMissing } from './rule.ts'

/** Validates the helper's path for the document's system: it must be set, absolute, and nothing but a path. */
export function validateCommandPaths(
  { command, commandWindows }: HelperScriptCredential,
  subject: RuleSubject,
): Finding[] {
  const isForWindows = subject.os === 'windows' || (subject.os === undefined && command === undefined)
  if (!isForWindows) {
    if (command === undefined)
      return reportMissing(
        subject,
        at('command'),
        'macOS and Linux have no helper to run',
        'set it to the absolute path of the helper',
      )
    return validateCommand(
      command,
      subject.os || !isAbsolute(command, 'windows') ? 'posix' : 'windows',
      'command',
      subject,
    )
  }
  if (commandWindows !== undefined) return validateCommand(commandWindows, 'windows', 'commandWindows', subject)
  if (command === undefined || !isAbsolute(command, 'windows')) {
    return reportMissing(
      subject,
      at('commandWindows'),
      'Windows has no helper to run',
      'set it to the full path of the helper, beginning with a drive letter',
    )
  }
  const misplaced = createFinding(
    'windows-path-in-command',
    subject.spell(at('command')),
    'it is a Windows path, but other systems read this field too',
    `move it to ${subject.spell(at('commandWindows'))}`,
  )
  return [misplaced, ...validateCommand(command, 'windows', 'command', subject)]
}

function validateCommand(
  value: string,
  style: PathStyle,
  name: 'command' | 'commandWindows',
  { spell }: RuleSubject,
): Finding[] {
  const path = spell(at(name))
  const problem = validatePath(value, style, path) ?? validateSlashAtEnd(value, style, path)
  if (!hasArguments(value)) return [problem ?? validateFileType(value, style, path) ?? []].flat()
  const hasMore = createFinding(
    'arguments-in-path',
    path,
    'it holds arguments or quotes beside the path, and no shell splits it',
    `write only the path here, without quotes, and put the arguments into ${spell(at('args'))}`,
  )
  return problem ? [hasMore, problem] : [hasMore]
}

/** Validates the paths of the cloud tools' directory and program, which must be absolute. */
export function validateCloudPaths(credential: HelperScriptCredential, { os, spell }: RuleSubject): Finding[] {
  const { awsEnv, command, commandWindows } = credential
  const isForTwo = command !== undefined && commandWindows !== undefined
  return (['awsDir', 'awsCliPath'] as const).flatMap((name) => {
    const value = awsEnv?.[name]
    if (value === undefined) return []
    const style = os === 'windows' || (os === undefined && isAbsolute(value, 'windows')) ? 'windows' : 'posix'
    const path = spell(at(`awsEnv.${name}`))
    // A path that is right on the checked system is not reported.
    const isRightHere = os !== undefined && !validatePath(value, style, path)
    if (isForTwo && !isRightHere && styles.some((each) => !validatePath(value, each, path)))
      return reportOneSystem(value, path)
    const problem = validatePath(value, style, path)
    return problem ?? ((name === 'awsCliPath' && validateSlashAtEnd(value, style, path)) || [])
  })
}

const styles: readonly PathStyle[] = ['posix', 'windows']

/** Reports a path that only one of two systems can use: no path is absolute by the rules of both. */
function reportOneSystem(value: string, path: string): Finding[] {
  const [own, other] = isAbsolute(value, 'windows') ? ['Windows', 'macOS and Linux'] : ['macOS and Linux', 'Windows']
  return [
    createFinding(
      'path-of-one-system',
      path,
      `it is a path of ${own}, and the document has a helper for ${other} too`,
      `give ${other} a document of its own, or remove it`,
    ),
  ]
}

/** Validates a document's sign-in with the rules for its provider's family. */
export function validateProviderRules(oidc: Oidc, { spell }: RuleSubject): Finding[] {
  return toFindings(
    oidc,
    (setting) => setting,
    (setting) => spell(at(`oidc.${setting}`)),
  )
}

/** Validates a helper that signs people in with the same rules. Its options are arguments in the document. */
export function validateHelperProvider(
  _: HelperScriptCredential,
  { spell }: RuleSubject,
  { provider }: HelperFacts,
): Finding[] {
  return provider
    ? toFindings(
        provider,
        (setting) => `--${toOptionName(setting)}`,
        () => spell(at('args')),
      )
    : []
}

function toFindings(settings: ProviderSettings, name: NameSetting, locate: NameSetting): Finding[] {
  return validateProvider(settings, name).map(({ setting, code, message, hint }) =>
    createFinding(code, locate(setting), message, hint),
  )
}

/** The system whose rules decide whether a path is absolute. */
type PathStyle = 'posix' | 'windows'

/** Validates the path of a program or a directory, in which no shell expands anything. */
function validatePath(value: string, style: PathStyle, path: string): Finding | undefined {
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
  if (isAbsolute(value, style)) return validateBlankAtEnd(value, path)
  return createFinding(
    'relative-path',
    path,
    value === ''
      ? 'it is empty'
      : `it is not an absolute path on ${style === 'windows' ? 'Windows' : 'macOS and Linux'}`,
    absolute,
  )
}

function validateBlankAtEnd(value: string, path: string): Finding | undefined {
  if (!/\s$/.test(value)) return undefined
  return createFinding('blank-at-end', path, 'it ends with a blank, which no file name has', 'remove the blank')
}

/** Validates that an absolute path names a program and not a directory. */
function validateSlashAtEnd(value: string, style: PathStyle, path: string): Finding | undefined {
  if (!(style === 'windows' ? /[/\\]$/ : /\/$/).test(value)) return undefined
  return createFinding(
    'slash-at-end',
    path,
    'it ends with a slash, so it names a directory',
    'write the path of the program in it',
  )
}

/** Returns whether a value that must be nothing but a path has arguments or quotes. Spaces inside a path are allowed. */
function hasArguments(value: string): boolean {
  return /^["']/.test(value) || /\s(--?\w|\/)/.test(value) || /\.(exe|cmd|bat|ps1|sh|py|js)\s+\S/i.test(value)
}

/** Validates the ending of a program's name, which decides on Windows whether the client can start it. */
function validateFileType(value: string, style: PathStyle, path: string): Finding | undefined {
  if (style === 'posix' || /\.(exe|com|cmd|bat|ps1)$/i.test(value)) return undefined
  return createFinding(
    'file-type',
    path,
    'on Windows clients start .exe, .com, .cmd, .bat and .ps1 files only',
    'write the path with its ending, or name a file of one of these types',
  )
}

/** Returns whether a path is absolute by the rules of that system. */
function isAbsolute(value: string, style: PathStyle): boolean {
  return style === 'windows' ? isDrivePath(value) : value.startsWith('/')
}
