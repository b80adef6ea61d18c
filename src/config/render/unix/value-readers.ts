import { escapeControls } from '../../../runtime/escape-controls.ts'

/** Reads a file into lines of name, type and value, by a tool that every machine of that system has. */
export interface ValueReader {
  /** A shell function `list_values FILE`; a file that is missing or broken has no values. */
  readonly script: string
  /** The type that it gives a value of the export. */
  readonly nameType: (value: unknown) => string
  /** A name of the export as it gives it. */
  readonly renderName: (name: string) => string
  readonly renderText: (value: unknown) => string
}

/**
 * The members of a JSON object, by `awk` alone: no machine of plain Linux has to have a JSON tool. A value is compared as it is
 * spelled, without the white space around its parts.
 */
export const jsonReader: ValueReader = {
  nameType: (value) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value),
  renderName: (name) => escapeControls(JSON.stringify(name)).slice(1, -1),
  renderText: (value) => escapeControls(JSON.stringify(value)),
  script: String.raw`list_values() {
  [ -r "$1" ] || return 0
  awk '
    function end_member() {
      first = substr(value, 1, 1)
      type = first == "\"" ? "string" : first == "[" ? "array" : first == "{" ? "object" : first == "n" ? "null" : "number"
      if (first == "t" || first == "f") type = "boolean"
      if (name != "") print substr(name, 2, length(name) - 2) "\t" type "\t" value
      name = value = ""
    }
    { text = text $0 "\n" }
    END {
      for (at = 1; at <= length(text); at++) {
        character = substr(text, at, 1)
        if (quoted) {
          value = value character
          if (character == "\\") value = value substr(text, ++at, 1)
          else if (character == "\"") quoted = 0
        } else if (character ~ /[ \t\r\n]/) continue
        else if (depth == 0) depth = character == "{"
        else if (depth == 1 && character == ":") { name = value; value = "" }
        else if (depth == 1 && character == ",") end_member()
        else if (depth == 1 && character == "}") { end_member(); depth = 0 }
        else {
          value = value character
          if (character == "\"") quoted = 1
          if (character ~ /[[{]/) depth++
          if (character ~ /[]}]/) depth--
        }
      }
    }' "$1"
}`,
}

/** The keys of a property list in any form, by the tool that macOS has for them. All values of an export are strings. */
export const propertyListReader: ValueReader = {
  nameType: () => 'string',
  renderName: String,
  renderText: String,
  script: String.raw`list_values() {
  [ -r "$1" ] || return 0
  plutil -convert xml1 -o - -- "$1" 2>/dev/null | awk '
    /^\t<key>/ { name = $0; sub(/^\t<key>/, "", name); sub(/<\/key>$/, "", name); next }
    /^\t<[a-z]/ && name != "" {
      type = value = $0
      sub(/^\t</, "", type); sub(/[ \/>].*$/, "", type)
      sub(/^\t<[^>]*>/, "", value); sub(/<\/[a-z]*>$/, "", value)
      print decode(name) "\t" type "\t" decode(value)
      name = ""
    }
    function decode(text) {
      gsub(/&lt;/, "<", text); gsub(/&gt;/, ">", text); gsub(/&quot;/, "\"", text); gsub(/&apos;/, "\047", text)
      gsub(/&amp;/, "\\&", text)
      return text
    }'
}`,
}
