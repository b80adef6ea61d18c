import type { ConfigDocument } from '../../../config/document.ts'
import { listValues } from '../../../config/document-values.ts'
import { hideArgumentSecrets } from '../../../runtime/hiding/credential-text.ts'
import { redact } from '../../../runtime/hiding/redact.ts'
import { renderUrl } from '../../ask-to-run.ts'

/** What a document sets, a field on each line; of keys and headers only that they are set. */
export function describeDocument(document: ConfigDocument): string[] {
  const lines = listValues(document).map(
    ({ field, value }) => `${field.path} = ${field.secret ? '***' : renderValue(value)}`,
  )
  return lines.length === 0 ? ['nothing'] : lines
}

function renderValue(value: unknown): string {
  if (Array.isArray(value)) return redact(hideArgumentSecrets(value).join(' '), [])
  if (typeof value === 'object' && value !== null)
    return Object.keys(value)
      .map((name) => `${name}: ***`)
      .join(', ')
  if (typeof value !== 'string') return String(value)
  return redact(/^https?:/i.test(value) ? renderUrl(value) : value, [])
}
