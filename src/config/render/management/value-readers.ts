import { escapeControls } from '../../../runtime/text/escape.ts'

/** Reads a file into lines of name, type and value, by a tool that every machine of that system has. */
export interface ValueReader {
  /** A shell function `list_values FILE`; a file that is missing or broken has no values. */
  readonly script: string
  /** Names the type of an exported value in its output. */
  readonly nameType: (value: unknown) => string
  /** Renders an exported name as in its output. */
  readonly renderName: (name: string) => string
  readonly renderText: (value: unknown) => string
  /** A function `normalize(text)` of `awk`, after which equal names and values have equal texts. */
  readonly normalization: string
}

/** A hexadecimal digit. */
const hex = '[0-9A-Fa-f]'

/**
 * Spells every character in a JSON text as `JSON.stringify` does, because programs that manage machines write `\u00e9`, `\u00E9` or `\/`. A
 * control character and half of a surrogate pair, which no value of a document has, stay escapes.
 */
const jsonNormalization = String.raw`
    function normalize(text,   result) {
      while (match(text, /\\(u[dD][89abAB]${hex}${hex}\\u[dD][c-fC-F]${hex}${hex}|u${hex}${hex}${hex}${hex}|[^u])/)) {
        result = result substr(text, 1, RSTART - 1) spell(substr(text, RSTART + 1, RLENGTH - 1))
        text = substr(text, RSTART + RLENGTH)
      }
      return result text
    }
    function spell(escape,   code) {
      if (escape == "/") return escape
      if (escape !~ /^u/) return "\\" escape
      code = parse_hex(substr(escape, 2, 4))
      if (length(escape) > 5) code = 65536 + (code - 55296) * 1024 + parse_hex(substr(escape, 8)) - 56320
      if (code == 34 || code == 92) return "\\" byte(code)
      if (code < 32 || (code >= 55296 && code < 57344)) return sprintf("\\u%04x", code)
      return encode(code)
    }
    function parse_hex(digits,   at, number) {
      for (at = 1; at <= 4; at++) number = number * 16 + index("123456789abcdef", tolower(substr(digits, at, 1)))
      return number
    }
    function encode(code) {
      if (code < 128) return byte(code)
      if (code < 2048) return byte(192 + code / 64) follow(code)
      if (code < 65536) return byte(224 + code / 4096) follow(code / 64) follow(code)
      return byte(240 + code / 262144) follow(code / 4096) follow(code / 64) follow(code)
    }
    function follow(code) { return byte(128 + int(code) % 64) }
    function byte(code) { return sprintf("%c", int(code)) }`

/**
 * Reads the members of a JSON object with `awk` only, because a plain Linux need not have a JSON tool. White space around parts is left
 * out.
 */
export const jsonReader: ValueReader = {
  nameType: (value) => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value),
  renderName: (name) => escapeControls(JSON.stringify(name)).slice(1, -1),
  renderText: (value) => escapeControls(JSON.stringify(value)),
  normalization: jsonNormalization,
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

/** Reads the keys of a property list in any form, with the tool of macOS. All values of an export are strings. */
export const propertyListReader: ValueReader = {
  nameType: () => 'string',
  renderName: String,
  renderText: String,
  normalization: '\n    function normalize(text) { return text }',
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
