import { type ParseError, parse, visit } from 'jsonc-parser'
import type { Finding } from '../../finding.ts'
import { finding, joinPath } from '../../finding.ts'
import { maxDepth } from '../../limits.ts'
import { describeType, isRecord, type Raw } from '../../raw.ts'
import { decodeUtf8 } from './decode-text.ts'

/** Reads one JSON object from UTF-8 bytes. Of a key that stands twice the last one counts. */
export function parseJson(bytes: Uint8Array): Raw {
  const decoded = decodeUtf8(bytes)
  if (decoded.text === undefined) return { entries: undefined, findings: decoded.findings }
  const { value, findings } = parseJsonText(decoded.text)
  if (value === undefined || isRecord(value)) return { entries: value, findings: [...decoded.findings, ...findings] }
  const found = `expected a JSON object, found ${describeType(value)}`
  return { entries: undefined, findings: [finding('not-an-object', '', found, 'put the fields between { and }')] }
}

/** Reads any JSON value from text, from a file or from inside another container; `undefined` when it is none. */
export function parseJsonText(text: string): { value: unknown; findings: readonly Finding[] } {
  const unreadable = (problem: Finding) => ({ value: undefined, findings: [problem] })
  if (text.trim() === '') return unreadable(finding('empty-file', '', 'there is nothing in it', 'write a JSON object'))
  if (isHtml(text)) return unreadable(htmlPage())
  if (exceedsDepth(text)) return unreadable(tooDeep())
  const value = parseOrUndefined(text)
  return value === undefined ? unreadable(syntaxError(text)) : { value, findings: keyFindings(text) }
}

/** The finding for nesting beyond what any reader follows. */
export function tooDeep(): Finding {
  return finding(
    'too-deep',
    '',
    `it is nested deeper than ${maxDepth} levels`,
    'remove the nesting: a document needs 4',
  )
}

/** The finding for a key that could change what an object is; it is left out everywhere. */
export function reservedKey(path: string): Finding {
  return finding('reserved-key', path, 'this key is never read', 'remove it')
}

/** A sign-in page or an error page where a document was expected. */
function isHtml(text: string): boolean {
  return /^\s*<(!doctype\s+html|html)\b/i.test(text)
}

function htmlPage(): Finding {
  return finding(
    'html-page',
    '',
    'it is a web page, not a document',
    'fetch the document itself: a page like this comes from a sign-in or a proxy in between',
  )
}

/** Counted without recursion and before any parser runs: a parser's own stack must not decide what is too deep. */
function exceedsDepth(text: string): boolean {
  const closers: string[] = []
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (inString && character === '\\') at++
    else if (character === '"') inString = !inString
    else if (inString) continue
    else if (character === '{') closers.push('}')
    else if (character === '[') closers.push(']')
    else if (character === closers.at(-1)) closers.pop()
    if (closers.length > maxDepth) return true
  }
  return false
}

/** `__proto__` is left out, so that no later copy of the object can turn it into a prototype. */
function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value))
  } catch {
    return undefined
  }
}

function syntaxError(text: string): Finding {
  const errors: ParseError[] = []
  parse(text, errors, { disallowComments: true })
  const before = text.slice(0, errors[0]?.offset ?? text.length).split(/\r\n|\r|\n/)
  return finding(
    'not-json',
    '',
    `it is not JSON: line ${before.length}, column ${before.at(-1)!.length + 1}`,
    'mend the syntax there: a missing comma or quote, a comment, a comma before a closing bracket',
  )
}

function keyFindings(text: string): Finding[] {
  const findings: Finding[] = []
  const seen: Set<string>[] = []
  visit(text, {
    onObjectBegin: () => void seen.push(new Set()),
    onObjectEnd: () => void seen.pop(),
    onObjectProperty: (key, _offset, _length, line, character, pathOfParent) => {
      const path = [...pathOfParent(), key].reduce<string>(joinPath, '')
      if (key === '__proto__') findings.push(reservedKey(path))
      if (seen.at(-1)!.has(key)) {
        findings.push(
          finding(
            'duplicate-key',
            path,
            `it stands twice; the last one counts, at line ${line + 1}, column ${character + 1}`,
            'keep one',
          ),
        )
      }
      seen.at(-1)!.add(key)
    },
  })
  return findings
}
