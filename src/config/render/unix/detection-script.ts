import { quoteForShell } from '../../read/linux-managed.ts'
import { matchLine, mismatches, mismatchPrefix } from '../mismatches.ts'
import type { ValueReader } from './value-readers.ts'

/** A value as a script compares it; without `text` only its type, because a script holds no key. */
export interface ExpectedValue {
  readonly name: string
  readonly type: string
  readonly text?: string
}

/** What a detection script is made of. */
export interface DetectionParts {
  /** Where it is for, in the comment at its top. */
  readonly system: string
  readonly reader: ValueReader
  /** The file that only an administrator may write. */
  readonly file: string
  /** Whether the system itself guards that file, or the script looks whether others can write it. */
  readonly isGuarded: boolean
  /** A pattern of files that users write, in which the same names would have the wrong effect. */
  readonly userFiles?: string
  readonly expected: readonly ExpectedValue[]
  /** Known names that must not be set. */
  readonly unset: readonly string[]
  readonly helper?: string
  /** Prints `$line`, and ends. */
  readonly ending: string
}

/** A POSIX shell script that prints one line: the machine is as exported, or how it differs. */
export function renderDetectionScript(parts: DetectionParts): string {
  return `${[
    '#!/bin/sh',
    `# Compares a machine with the document that gatepass exported for it: ${parts.system}.`,
    '# It prints one line, which names settings and never a value. Run it as root.',
    'export LC_ALL=C PATH=/usr/bin:/bin:/usr/sbin:/sbin',
    `file=${quoteForShell(parts.file)}`,
    `helper=${quoteForShell(parts.helper ?? '')}`,
    '',
    parts.reader.script,
    renderExpected(parts),
    renderUserValues(parts.userFiles),
    checkFiles(parts.isGuarded),
    renderComparison(parts.reader),
    collectLine,
    parts.ending,
  ].join('\n')}\n`
}

/** Lines of name, type and text; of a secret name and type; of a known name that is not set the name alone. */
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

/** Prints how the files differ, as lines of the mismatch and its subject. Who can write a folder can replace what is in it. */
function checkFiles(isGuarded: boolean): string {
  return String.raw`is_enforced() { [ -n "$(find -L "$1" -prune -user 0 ! -perm -0020 ! -perm -0002)" ]; }
check_folder() { if [ -d "$1" ] && ! is_enforced "$1"; then printf '${mismatches.notEnforced}\t%s\n' "$1"; fi; }
check_files() {
${isGuarded ? '' : `  if [ -e "$file" ] && { [ -L "$file" ] || ! is_enforced "$file"; }; then printf '${mismatches.notEnforced}\\t%s\\n' "$file"; fi\n  check_folder "\${file%/*}"\n`}  [ -n "$helper" ] || return 0
  if [ ! -f "$helper" ] || [ ! -x "$helper" ]; then printf '${mismatches.helperMissing}\t%s\n' "$helper"
  elif ! is_enforced "$helper"; then printf '${mismatches.notEnforced}\t%s\n' "$helper"; fi
  check_folder "${'$'}{helper%/*}"
}`
}

/** Three lists, each ended by an empty line: what has to be there, what is there, and what users have set. */
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
