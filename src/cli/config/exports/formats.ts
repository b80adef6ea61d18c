import { renderInstallCommand } from '../../../config/read/linux-managed.ts'
import { convertDocument } from '../../../config/render/convert.ts'
import { toManagedPreferences } from '../../../config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../../config/render/mobileconfig.ts'
import { renderIntune, renderRegistry } from '../../../config/render/registry.ts'
import type { ExportFormat, ExportOptions } from './format.ts'
import type { Content } from './rendered.ts'

/** Every format of `gatepass config export`, by the name that `--to` takes. */
export const exportFormats = {
  mobileconfig: {
    summary: 'a configuration profile for macOS',
    os: 'macos',
    render: fromEntries(renderMobileconfig),
    undo: { hint: 'remove the profile, where it was installed from' },
  },
  reg: {
    summary: 'a registry file for Windows',
    os: 'windows',
    render: fromEntries((entries) => renderRegistry(entries)),
    undo: (names) => renderRegistry({}, names),
  },
  intune: {
    summary: 'a PowerShell script that makes the same changes',
    os: 'windows',
    render: fromEntries((entries) => renderIntune(entries)),
    undo: (names) => renderIntune({}, names),
  },
  linux: {
    summary: 'the managed file of Linux',
    os: 'linux',
    render: (result, { clientVersion }) => convertDocument(result, 'flat', clientVersion),
    undo: { hint: 'delete the managed file on each machine' },
    renderNext: (file) => `install it with: ${renderInstallCommand(file)}`,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/** The name of a format. */
export type ExportName = keyof typeof exportFormats

/** All of {@link ExportName}. */
export const exportNames = Object.keys(exportFormats) as readonly ExportName[] // the keys of that very object

/** The names of the formats that change single values, and so can take them away again. */
export const undoNames = exportNames.filter((name) => typeof exportFormats[name].undo === 'function')

/** A format that writes managed preferences, all of which are text. */
function fromEntries(
  render: (entries: Readonly<Record<string, string>>, options: ExportOptions) => Content,
): ExportFormat['render'] {
  return (result, options) => {
    const exported = toManagedPreferences(result, options.clientVersion)
    return exported && { content: render(exported.entries, options), findings: exported.findings }
  }
}
