import { decodeText, findUtf16Encoding, hasPrefix } from '../../../runtime/json/decode-text.ts'
import type { Finding } from '../../finding.ts'
import { createFinding } from '../../finding.ts'

interface Decoded {
  /** `undefined`: the bytes are not text in the expected encoding. */
  readonly text: string | undefined
  readonly findings: readonly Finding[]
}

/** Decodes strict UTF-8. A byte-order mark is removed and reported; UTF-16 is recognized for its own message. */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  if (findUtf16Encoding(bytes)) {
    return rejectText(
      'utf16',
      'it is UTF-16; JSON is UTF-8',
      'save it as UTF-8 (in PowerShell 7: `Set-Content -Encoding utf8NoBOM`)',
    )
  }
  const text = decodeText(bytes, 'utf-8')
  if (text === undefined) return rejectText('not-utf8', 'it has bytes that are not UTF-8', 'save it as UTF-8')
  if (!hasPrefix(bytes, [0xef, 0xbb, 0xbf])) return { text, findings: [] }
  const mark = createFinding(
    'byte-order-mark',
    '',
    'it begins with a UTF-8 byte-order mark, which some readers refuse',
    'save it as UTF-8 without a mark',
  )
  return { text, findings: [mark] }
}

function rejectText(code: 'utf16' | 'not-utf8', message: string, hint: string): Decoded {
  return { text: undefined, findings: [createFinding(code, '', message, hint)] }
}
