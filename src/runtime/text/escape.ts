// Folder: text: quoting, escaping, decoding, counting, hiding secrets, and the page at the end of a sign-in.

/**
 * Escapes everything that steers a terminal or changes how the text beside it is shown: control characters, escape sequences and invisible
 * format characters, such as U+202E, which turns the direction of writing, become `\uXXXX`. Line feeds and tabs stay, and so do the joiners
 * (U+200C, U+200D), without which Persian words and some emoji fall apart. JSON text keeps its meaning, because JSON has these characters
 * only inside strings, where it escapes them in the same way.
 */
export function escapeControls(text: string): string {
  // Unicode categories: controls, format characters, line and paragraph separators. The pattern is created on use, because compiling it
  // takes a third of a millisecond, which a call without messages does not spend.
  const steering = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
  return text.replaceAll('\r\n', '\n').replace(steering, escapeUnits)
}

/** Renders a text in printable ASCII, with every other character escaped as in JSON, for logs, headers and tools that read nothing else. */
export function escapeNonAscii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, escapeUnits)
}

/** Escapes a character. One beyond U+FFFF has two units, as in JSON (RFC 8259, section 7). */
function escapeUnits(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
}

/** Escapes text for XML, in an element or between the double quotes of an attribute. XML cannot hold control characters at all. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

/** Escapes text for HTML, between tags and in quoted attributes, including the characters that turn the direction of the page's writing. */
export function escapeHtml(text: string): string {
  return escapeControls(text).replace(/[&<>"']/g, (letter) => `&#${letter.charCodeAt(0)};`)
}
