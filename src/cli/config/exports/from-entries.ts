import type { Finding } from '../../../config/finding.ts'
import { toManagedPreferences } from '../../../config/render/managed-preferences.ts'
import type { ExportFormat, ExportOptions } from './format.ts'
import type { Content } from './rendered.ts'

type Entries = Readonly<Record<string, string>>

/**
 * A format that writes managed preferences, all of which are text.
 * @param validate Says what the format has no place for.
 */
export function fromEntries(
  render: (entries: Entries, options: ExportOptions) => Content,
  validate: (entries: Entries) => readonly Finding[] = () => [],
): ExportFormat['render'] {
  return (result, options) => {
    const exported = toManagedPreferences(result, options.clientVersion)
    if (!exported) return undefined
    const { entries, findings } = exported
    return { content: render(entries, options), findings: [...findings, ...validate(entries)] }
  }
}
