import { isDeepStrictEqual } from 'node:util'
import type { ReadResult } from '../../../config/read/document.ts'
import { renderInstallCommand } from '../../../config/read/linux-managed.ts'
import { convertDocument } from '../../../config/render/convert.ts'
import { renderMobileconfig } from '../../../config/render/mobileconfig.ts'
import { renderAnsibleTasks } from '../../../config/render/unix/ansible.ts'
import {
  renderExtensionAttribute,
  renderLinuxDetection,
  renderMacosDetection,
} from '../../../config/render/unix/detection.ts'
import { type Exported, toManagedFile, toPreferences } from '../../../config/render/unix/exported.ts'
import { renderJamfManifest } from '../../../config/render/unix/jamf-manifest.ts'
import { renderPreferences } from '../../../config/render/unix/preferences.ts'
import { vendor } from '../../../vendor.ts'
import type { ExportFormat, ExportOptions } from './format.ts'
import { fromEntries } from './from-entries.ts'
import { windowsFormats } from './windows-formats.ts'

/** A script that changes nothing. */
const nothingToUndo = { reason: 'it changes nothing on a machine', hint: 'remove the script, where it runs' } as const

/** What a person puts under a preference domain, in a management system of macOS. */
const preferences = {
  os: 'macos',
  undo: { hint: 'remove the settings from the profile, where it was made' },
  renderNext: () => `its preference domain is ${vendor.macosPayloadType}`,
} as const

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
    render: fromEntries(renderPreferences),
    ...preferences,
  },
  jamf: {
    summary: 'a manifest (JSON Schema) for "Application & Custom Settings" of Jamf Pro',
    render: fromEntries(renderJamfManifest),
    ...preferences,
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
  ansible: {
    summary: 'tasks of Ansible that install and compare it, for Linux and macOS',
    os: 'linux',
    render: renderAnsible,
    undo: { hint: 'delete the managed file on each machine' },
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
    const exported = toPreferences(result, clientVersion)
    return exported && { content: render(exported), findings: exported.findings }
  }
}

/** A script that compares the managed file of Linux. */
function fromManagedFile(render: (exported: Exported) => string): ExportFormat['render'] {
  return (result, { clientVersion }) => {
    const exported = toManagedFile(result, clientVersion)
    return exported && { content: render(exported), findings: exported.findings }
  }
}

/** What one system cannot hold is reported once. */
function renderAnsible(result: ReadResult, { clientVersion }: ExportOptions) {
  const [linux, macos] = [toManagedFile(result, clientVersion), toPreferences(result, clientVersion)]
  if (!linux || !macos) return undefined
  const others = macos.findings.filter((other) => !linux.findings.some((one) => isDeepStrictEqual(one, other)))
  return { content: renderAnsibleTasks({ linux, macos }), findings: [...linux.findings, ...others] }
}
