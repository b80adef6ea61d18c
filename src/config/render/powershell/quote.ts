/**
 * A PowerShell expression of the text in ASCII alone: what reads the script may take it for UTF-8 or for the machine's
 * code page, and a byte-order mark is not permitted where a signature is checked.
 */
export function quoteInAscii(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return quoteRun(text)
  const parts = text.match(/[\x20-\x7e]+|[^\x20-\x7e]/g)! // every code unit is in one of the two
  const first = isRun(parts[0]!) ? [] : ["''"]
  return `(${[...first, ...parts.map((part) => (isRun(part) ? quoteRun(part) : toCodeUnit(part)))].join(' + ')})`
}

function isRun(part: string): boolean {
  return /^[\x20-\x7e]/.test(part)
}

function quoteRun(run: string): string {
  return `'${run.replaceAll("'", "''")}'`
}

function toCodeUnit(character: string): string {
  return `[char]0x${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
