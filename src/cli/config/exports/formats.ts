import { renderInstallCommand } from '../../../config/read/linux-managed.ts'
import { convertDocument } from '../../../config/render/convert.ts'
import { toManagedPreferences } from '../../../config/render/managed-preferences.ts'
import { renderMobileconfig } from '../../../config/render/mobileconfig.ts'
import {
  type Exported,
  renderExtensionAttribute,
  renderLinuxDetection,
  renderMacosDetection,
} from '../../../config/render/unix/detection.ts'
import { renderJamfManifest } from '../../../config/render/unix/jamf-manifest.ts'
import { renderPreferences } from '../../../config/render/unix/preferences.ts'
import { vendor } from '../../../vendor.ts'
import type { ExportFormat } from './format.ts'
import { fromEntries } from './from-entries.ts'
import { windowsFormats } from './windows-formats.ts'

/** A script that changes nothing. */
const nothingToUndo = { reason: 'it changes nothing on a machine', hint: 'remove the script, where it runs' } as const

/** Every format of `gatepass config export`, by the name that `--to` takes. */
export const exportFormats = {
  mobileconfig: {
    summary: 'a configuration profile for macOS',
    os: 'macos',
    render: fromEntries(renderMobileconfig),
    undo: { hint: 'remove the profile, where it was installed from' },
  },
  ...windowsFormats,
  linux: {
    summary: 'the managed file of Linux',
    os: 'linux',
    render: (result, { clientVersion }) => convertDocument(result, 'flat', clientVersion),
    undo: { hint: 'delete the managed file on each machine' },
    renderNext: (file) => `install it with: ${renderInstallCommand(file)}`,
  },
  plist: {
    summary: 'the managed preferences of macOS as a plain property list',
    os: 'macos',
    render: fromEntries(renderPreferences),
    undo: { hint: 'remove the settings from the profile, where it was made' },
    renderNext: () => `its preference domain is ${vendor.macosPayloadType}`,
  },
  jamf: {
    summary: 'a manifest (JSON Schema) for "Application & Custom Settings" of Jamf Pro',
    os: 'macos',
    render: fromEntries(renderJamfManifest),
    undo: { hint: 'remove the settings from the profile, where it was made' },
    renderNext: () => `its preference domain is ${vendor.macosPayloadType}`,
  },
  'jamf-attribute': {
    summary: 'an extension attribute of Jamf Pro: how a Mac differs from the document',
    os: 'macos',
    render: fromManaged(renderExtensionAttribute),
    undo: nothingToUndo,
  },
  'detection-macos': {
    summary: 'the same as a shell script with status 0 or 1',
    os: 'macos',
    render: fromManaged(renderMacosDetection),
    undo: nothingToUndo,
  },
  'detection-linux': {
    summary: 'a shell script: how a Linux machine differs from the document',
    os: 'linux',
    render: fromManagedFile(renderLinuxDetection),
    undo: nothingToUndo,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/** The name of a format. */
export type ExportName = keyof typeof exportFormats

/** All of {@link ExportName}. */
export const exportNames = Object.keys(exportFormats) as readonly ExportName[] // the keys of that very object

/** The names of the formats that change single values, and so can take them away again. */
export const undoNames = exportNames.filter((name) => typeof exportFormats[name].undo === 'function')

/** A script that compares managed preferences. */
function fromManaged(render: (exported: Exported) => string): ExportFormat['render'] {
  return (result, { clientVersion }) => {
    const exported = toManagedPreferences(result, clientVersion)
    if (!exported || !result.document) return undefined
    return { content: render({ document: result.document, entries: exported.entries }), findings: exported.findings }
  }
}

/** What is made of the managed file of Linux: its text, and the values in it. */
function fromManagedFile(render: (exported: Exported, text: string) => string): ExportFormat['render'] {
  return (result, { clientVersion }) => {
    const converted = convertDocument(result, 'flat', clientVersion)
    if (!converted || !result.document) return undefined
    const entries = JSON.parse(converted.content) as Record<string, unknown> // a document is an object
    return { content: render({ document: result.document, entries }, converted.content), findings: converted.findings }
  }
}
