import { isCredentialHeader } from '../../../runtime/text/credential-text.ts'
import { quoteForShell } from '../../../runtime/text/quote.ts'
import { vendor } from '../../../vendor.ts'
import type { ConfigDocument } from '../../document.ts'
import { findFlatKey } from '../../field.ts'
import { fields, flatKeys } from '../../fields.ts'
import type { Finding } from '../../finding.ts'
import type { ReadResult } from '../../read/read-document.ts'
import { convertDocument, toManagedPreferences } from '../convert.ts'
import { matchLine, mismatches, mismatchPrefix } from '../mismatches.ts'
import { jsonReader, propertyListReader, type ValueReader } from './value-readers.ts'

/** Renders a script for Linux that compares the managed file and the helper. Its status is 0 if everything is as exported, otherwise 1. */
export function renderLinuxDetection(exported: Exported): string {
  return renderDetectionScript({
    ...toParts(exported, jsonReader),
    system: 'the managed file of Linux, and the helper',
    file: vendor.linuxManagedFile,
    isGuarded: false,
    ending: statusEnding,
  })
}

/** Renders the detection script for macOS, whose managed preferences only the device management writes. */
export function renderMacosDetection(exported: Exported): string {
  return renderDetectionScript({ ...toMacosParts(exported), ending: statusEnding })
}

/** Renders the detection script as an extension attribute of Jamf Pro, which keeps the text between the tags and ignores the status. */
export function renderExtensionAttribute(exported: Exported): string {
  return renderDetectionScript({ ...toMacosParts(exported), ending: `printf '<result>%s</result>\\n' "$line"` })
}

/** A document, and its exported values by name. */
export interface Exported {
  readonly document: ConfigDocument
  readonly entries: Readonly<Record<string, unknown>>
  /** Other required files, such as the settings of the helper. */
  readonly machineFiles?: readonly string[]
}

/** Converts a document to the managed preferences of macOS; `undefined` if it could not be read. */
export function toPreferences(result: ReadResult, clientVersion?: string): (Exported & WithFindings) | undefined {
  const exported = toManagedPreferences(result, clientVersion)
  return exported && result.document && { document: result.document, ...exported }
}

/** Converts a document to the managed file of Linux: its text, and the values in it; `undefined` if it could not be read. */
export function toManagedFile(
  result: ReadResult,
  clientVersion?: string,
): (Exported & WithFindings & { readonly text: string }) | undefined {
  const converted = convertDocument(result, 'flat', clientVersion)
  if (!converted || !result.document) return undefined
  const entries = JSON.parse(converted.content) as Record<string, unknown> // a document is an object
  return { document: result.document, entries, text: converted.content, findings: converted.findings }
}

interface WithFindings {
  readonly findings: readonly Finding[]
}

/** A value to compare; without `text` only its type, because a script contains no key. */
interface ExpectedValue {
  readonly name: string
  readonly type: string
  readonly text?: string
}

/** The parts of a detection script. */
interface DetectionParts {
  /** The name of the system in the comment at its top. */
  readonly system: string
  readonly reader: ValueReader
  /** The file that only an administrator may write. */
  readonly file: string
  /** Whether the system itself protects that file; otherwise the script checks whether others can write it. */
  readonly isGuarded: boolean
  /** A pattern of files that users write, in which the same names would have the wrong effect. */
  readonly userFiles?: string
  readonly expected: readonly ExpectedValue[]
  /** Known names that must not be set. */
  readonly unset: readonly string[]
  readonly helper?: string
  readonly machineFiles: readonly string[]
  /** Prints `$line`, and ends. */
  readonly ending: string
}

/** Renders a POSIX shell script that prints one line: that the machine is as exported, or how it differs. */
function renderDetectionScript(parts: DetectionParts): string {
  return `${[
    '#!/bin/sh',
    `# Compares a machine with the document that gatepass exported for it: ${parts.system}.`,
    '# It prints one line, which names settings and never a value. Run it as root.',
    'export LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin',
    `file=${quoteForShell([parts.file])}`,
    `helper=${quoteForShell([parts.helper ?? ''])}`,
    '',
    parts.reader.script,
    renderExpected(parts),
    renderUserValues(parts.userFiles),
    renderFileChecks(parts),
    renderComparison(parts.reader),
    collectLine,
    parts.ending,
  ].join('\n')}\n`
}

/** Renders lines of name, type and text. A secret has no text; a known name that is not set has neither type nor text. */
function renderExpected({ expected, unset }: DetectionParts): string {
  const lines = [
    ...expected.map(({ name, type, text }) => [name, type, ...(text === undefined ? [] : [text])].join('\t')),
    ...unset,
  ]
  return ['list_expected() {', "  cat <<'EXPECTED'", ...lines, 'EXPECTED', '}'].join('\n')
}

function renderUserValues(files: string | undefined): string {
  if (files === undefined) return 'list_user_values() { :; }'
  return `list_user_values() {\n  for preferences in ${files}; do list_values "$preferences"; done\n}`
}

/**
 * Renders the part that prints how the files differ, as lines of the mismatch and its subject. Folders are checked too, because whoever can
 * write one can replace its files.
 */
function renderFileChecks({ isGuarded, machineFiles }: DetectionParts): string {
  return String.raw`is_enforced() { [ -n "$(find -L "$1" -prune -user 0 ! -perm -0020 ! -perm -0002)" ]; }
check_folder() { if [ -d "$1" ] && ! is_enforced "$1"; then printf '${mismatches.notEnforced}\t%s\n' "$1"; fi; }
check_files() {
${renderPresence(machineFiles)}${isGuarded ? '' : `  if [ -e "$file" ] && { [ -L "$file" ] || ! is_enforced "$file"; }; then printf '${mismatches.notEnforced}\\t%s\\n' "$file"; fi\n  check_folder "\${file%/*}"\n`}  [ -n "$helper" ] || return 0
  if [ ! -f "$helper" ] || [ ! -x "$helper" ]; then printf '${mismatches.helperMissing}\t%s\n' "$helper"
  elif ! is_enforced "$helper"; then printf '${mismatches.notEnforced}\t%s\n' "$helper"; fi
  check_folder "${'$'}{helper%/*}"
}`
}

function renderPresence(files: readonly string[]): string {
  if (files.length === 0) return ''
  return String.raw`  for path in ${quoteForShell(files)}; do
    if [ ! -f "$path" ]; then printf '${mismatches.missing}\t%s\n' "$path"
    elif ! is_enforced "$path"; then printf '${mismatches.notEnforced}\t%s\n' "$path"; fi
  done
`
}

/**
 * Renders the comparison of three lists, each ended by an empty line: the expected values, the present ones, and those that users have set.
 */
function renderComparison({ normalization }: ValueReader): string {
  return String.raw`compare_values() {
  { list_expected; echo; list_values "$file"; echo; list_user_values; } | awk -F '\t' '${normalization}
    $0 == "" { list++; next }
    { key = normalize($1) }
    list == 0 { keys[++count] = key; names[key] = $1; types[key] = $2; fields[key] = NF; values[key] = normalize($3) }
    list == 1 { found[key] = $2; there[key] = normalize($3) }
    list == 2 { users[key] = 1 }
    END {
      for (number = 1; number <= count; number++) {
        key = keys[number]
        if (fields[key] == 1) { if (key in found) print "${mismatches.leftOver}\t" names[key] }
        else if (!(key in found)) print (key in users ? "${mismatches.notEnforced}" : "${mismatches.missing}") "\t" names[key]
        else if (found[key] != types[key]) print "${mismatches.wrongType}\t" names[key]
        else if (fields[key] == 3 && there[key] != values[key]) print "${mismatches.differs}\t" names[key]
      }
    }'
}`
}

const order = Object.values(mismatches).join('|')

const collectLine = String.raw`line=$({ compare_values; check_files; } | awk -F '\t' '
  { subjects[$1] = subjects[$1] (subjects[$1] == "" ? "" : ", ") $2 }
  END {
    count = split("${order}", words, "|")
    for (number = 1; number <= count; number++)
      if (words[number] in subjects) line = line (line == "" ? "${mismatchPrefix}" : "; ") words[number] ": " subjects[words[number]]
    print (line == "" ? "${matchLine}" : line)
  }')`

const statusEnding = `printf '%s\\n' "$line"\n[ "$line" = '${matchLine}' ]`

function toMacosParts(exported: Exported): Omit<DetectionParts, 'ending'> {
  return {
    ...toParts(exported, propertyListReader),
    system: 'the managed preferences of macOS, and the helper',
    file: `/Library/Managed Preferences/${vendor.macosPayloadType}.plist`,
    isGuarded: true,
    userFiles: `/Users/*/Library/Preferences/${vendor.macosPayloadType}.plist`,
  }
}

function toParts({ document, entries, machineFiles = [] }: Exported, reader: ValueReader) {
  const credential = document.inference?.credential
  const expected = Object.entries(entries).map(
    ([name, value]): ExpectedValue => ({
      name: reader.renderName(name),
      type: reader.nameType(value),
      ...(!isSecretName(name, document) && { text: reader.renderText(value) }),
    }),
  )
  return {
    reader,
    machineFiles,
    expected,
    unset: flatKeys.filter((name) => !Object.hasOwn(entries, name)),
    ...(credential?.kind === 'helper-script' && credential.command && { helper: credential.command }),
  }
}

/** Returns whether a key has a value that no script may contain. */
function isSecretName(name: string, { inference }: ConfigDocument): boolean {
  const rows = fields.filter((field) => findFlatKey(field) === name)
  if (rows.some(({ rule }) => rule.type === 'header-map')) {
    return Object.entries(inference?.customHeaders ?? {}).some(([header, value]) => isCredentialHeader(header, value))
  }
  return rows.some(({ secret }) => secret)
}
