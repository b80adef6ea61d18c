import { convertDocument } from '../../../../src/config/render/convert.ts'
import { toManagedPreferences } from '../../../../src/config/render/managed-preferences.ts'
import type { Exported } from '../../../../src/config/render/unix/detection.ts'
import { read } from '../../read/read-text.ts'

/** A document with values of every type that an export writes, whose helper is this program. */
export function createDocument(command: string, inference: Readonly<Record<string, unknown>> = {}) {
  return read({
    $schemaVersion: 2,
    inference: {
      provider: 'gateway',
      baseUrl: 'https://gateway.example.com',
      customHeaders: { 'x-team': `a, b: {c} [d] \\ "e" 'é' <f> & ‘g’` },
      credential: {
        kind: 'helper-script',
        command,
        args: ['--profile', "it's {{ c }}"],
        timeoutSec: 300,
        silentRefreshEnabled: true,
      },
      ...inference,
    },
  })
}

/** What an export of it for macOS writes. */
export function exportPreferences(result: ReturnType<typeof read>): Exported & { entries: Record<string, string> } {
  const { entries } = toManagedPreferences(result)!
  return { document: result.document!, entries: { ...entries } }
}

/** What an export of it for Linux writes. */
export function exportManagedFile(result: ReturnType<typeof read>): Exported & { text: string } {
  const text = convertDocument(result, 'flat')!.content
  return { document: result.document!, entries: JSON.parse(text) as Record<string, unknown>, text }
}
