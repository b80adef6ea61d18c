import { isDeepStrictEqual } from 'node:util'
import type { Finding } from '../../config/finding.ts'
import type { ReadResult } from '../../config/read/read-document.ts'
import { renderInstallCommand } from '../../config/read/read-document-file.ts'
import { convertDocument, renderMobileconfig, toManagedPreferences } from '../../config/render/convert.ts'
import { renderAnsibleTasks } from '../../config/render/management/ansible.ts'
import { renderAdml, renderAdmx, renderOmaUri } from '../../config/render/management/group-policy.ts'
import { renderJamfManifest, renderPreferences } from '../../config/render/management/jamf-manifest.ts'
import { templateFile } from '../../config/render/management/policies.ts'
import {
  type Exported,
  renderExtensionAttribute,
  renderLinuxDetection,
  renderMacosDetection,
  toManagedFile,
  toPreferences,
} from '../../config/render/management/unix-detection.ts'
import { validateEntries, validatePolicyKey } from '../../config/render/management/validate-entries.ts'
import {
  renderComplianceRules,
  renderDetection,
  renderDiscovery,
  renderItemDiscovery,
  renderRemediation,
} from '../../config/render/management/windows-detection.ts'
import {
  type ManagedEntries,
  renderIntune,
  renderRegistry,
  validateRegistryNames,
} from '../../config/render/registry.ts'
import { HelperError } from '../../runtime/failure.ts'
import { vendor } from '../../vendor.ts'
import type { ExportContent, ExportFormat, ExportOptions } from './export-format.ts'

/** The reason for a format that needs no undo. */
const harmless = 'it changes nothing on a machine'

/** A script in a device management that changes nothing. */
const managedScript = { reason: harmless, hint: 'take it out of the device management' } as const

const windowsFormats = {
  reg: {
    summary: 'a registry file for Windows',
    file: 'policy.reg',
    savedAs: 'gatepass.reg',
    os: 'windows',
    render: fromEntries((entries) => renderRegistry(entries), validateRegistryNames),
    undo: (names) => renderRegistry({}, names),
  },
  intune: {
    summary: 'a PowerShell script that sets the document in the registry',
    file: 'policy.ps1',
    savedAs: 'gatepass.ps1',
    os: 'windows',
    render: fromEntries((entries) => renderIntune(entries), validateRegistryNames),
    undo: (names) => renderIntune({}, names),
  },
  admx: {
    summary: 'an administrative template (ADMX and ADML) for group policies, in a folder',
    file: 'template',
    os: 'windows',
    render: fromEntries(
      (entries) => ({
        files: { [`${templateFile}.admx`]: renderAdmx(), [`en-US/${templateFile}.adml`]: renderAdml(entries) },
      }),
      validateEntries,
    ),
    undo: {
      reason: harmless,
      hint: 'set the policies to "Not configured": Windows takes their values away',
    },
    renderNext: (folder) =>
      `copy what is in ${folder} to the folder PolicyDefinitions of Windows or of the domain, and enable the policies that the document sets`,
  },
  'oma-uri': {
    summary: 'a custom profile of OMA-URI settings with an ADMX template, as JSON for Microsoft Graph',
    file: 'oma-uri.json',
    os: 'windows',
    render: fromEntries(renderOmaUri, (entries) => [...validateEntries(entries), ...validatePolicyKey()]),
    undo: {
      reason: 'device management keeps it as a whole',
      hint: 'delete the profile: device management takes its values away',
    },
  },
  'detection-windows': {
    summary: 'a PowerShell script: how a Windows machine differs from the document',
    file: 'detection.ps1',
    os: 'windows',
    render: fromEntries(withWindowsFiles(renderDetection), validateRegistryNames),
    undo: managedScript,
  },
  'sccm-discovery': {
    summary: 'a PowerShell script for Configuration Manager: how a Windows machine differs, always with status 0',
    file: 'discovery.ps1',
    os: 'windows',
    render: fromEntries(withWindowsFiles(renderItemDiscovery), validateRegistryNames),
    undo: managedScript,
  },
  remediation: {
    summary: 'a PowerShell script that sets the document again, and says what is left',
    file: 'remediation.ps1',
    os: 'windows',
    render: fromEntries(withWindowsFiles(renderRemediation), validateRegistryNames),
    undo: { reason: 'it would be set again', hint: 'take it out of the device management, and use --to intune --undo' },
  },
  compliance: {
    summary: 'the discovery script and the rules of a custom compliance policy, in a folder',
    file: 'compliance',
    os: 'windows',
    render: fromEntries(
      (entries, { moreInfoUrl, machineFiles }) => ({
        files: {
          'discovery.ps1': renderDiscovery(entries, machineFiles?.windows),
          'rules.json': renderComplianceRules(requireMoreInfoUrl(moreInfoUrl)),
        },
      }),
      validateRegistryNames,
    ),
    undo: managedScript,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/** A script that changes nothing, and that people copy to a machine. */
const placedScript = { reason: harmless, hint: 'remove the script, where it runs' } as const

/** The formats for a preference domain in a management system of macOS. */
const preferences = {
  os: 'macos',
  undo: { hint: 'remove the settings from the profile, where it was made' },
  renderNext: () => `its preference domain is ${vendor.macosPayloadType}`,
} as const

/** Every format of `gatepass config export`, by the name that `--to` takes. */
export const exportFormats = {
  mobileconfig: {
    summary: 'a configuration profile for macOS',
    file: 'profile.mobileconfig',
    savedAs: 'gatepass.mobileconfig',
    os: 'macos',
    render: fromEntries(renderMobileconfig),
    undo: { hint: 'remove the profile with the tool that installed it' },
  },
  ...windowsFormats,
  linux: {
    summary: 'the managed file of Linux',
    file: 'managed-settings.json',
    os: 'linux',
    render: (result, { clientVersion }) => convertDocument(result, 'flat', clientVersion),
    undo: { hint: 'delete the managed file on each machine' },
    renderNext: (file) => `install it with: ${renderInstallCommand(file)}`,
  },
  plist: {
    summary: 'the managed preferences of macOS as a plain property list',
    file: 'preferences.plist',
    savedAs: 'gatepass.plist',
    render: fromEntries(renderPreferences),
    ...preferences,
  },
  jamf: {
    summary: 'a manifest (JSON Schema) for "Application & Custom Settings" of Jamf Pro',
    file: 'manifest.json',
    render: fromEntries(renderJamfManifest),
    ...preferences,
  },
  'jamf-attribute': {
    summary: 'an extension attribute of Jamf Pro: how a Mac differs from the document',
    file: 'extension-attribute.sh',
    os: 'macos',
    render: fromManaged(renderExtensionAttribute),
    undo: placedScript,
  },
  'detection-macos': {
    summary: 'a shell script: how a Mac differs from the document',
    file: 'detection.sh',
    os: 'macos',
    render: fromManaged(renderMacosDetection),
    undo: placedScript,
  },
  'detection-linux': {
    summary: 'a shell script: how a Linux machine differs from the document',
    file: 'detection.sh',
    os: 'linux',
    render: fromManagedFile(renderLinuxDetection),
    undo: placedScript,
  },
  ansible: {
    summary: 'tasks of Ansible that install and compare the document, for Linux and macOS',
    file: 'tasks.yml',
    savedAs: 'gatepass.yml',
    os: 'linux',
    render: renderAnsible,
    undo: { hint: 'delete the managed file on each machine' },
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/**
 * Creates the renderer of a format of managed preferences, all of which are text.
 * @param validate Reports values that the format cannot contain.
 */
function fromEntries(
  render: (entries: ManagedEntries, options: ExportOptions) => ExportContent,
  validate: (entries: ManagedEntries) => readonly Finding[] = () => [],
): ExportFormat['render'] {
  return (result, options) => {
    const exported = toManagedPreferences(result, options.clientVersion)
    if (!exported) return undefined
    const { entries, findings } = exported
    return { content: render(entries, options), findings: [...findings, ...validate(entries)] }
  }
}

/** Creates the renderer of a script for Windows that compares a machine, and its further files. */
function withWindowsFiles(render: (entries: ManagedEntries, files: readonly string[] | undefined) => string) {
  return (entries: ManagedEntries, { machineFiles }: ExportOptions) => render(entries, machineFiles?.windows)
}

/** The format that `config export` writes. */
export type ExportName = keyof typeof exportFormats

/** The names of all formats. The cast states that `Object.keys` returns only own keys. */
export const exportNames = Object.keys(exportFormats) as readonly ExportName[]

/** The names of the formats that change single values, and so can remove them. */
export const undoNames = exportNames.filter((name) => typeof exportFormats[name].undo === 'function')

/** Creates the renderer of a script that compares managed preferences. */
function fromManaged(render: (exported: Exported) => string): ExportFormat['render'] {
  return (result, { clientVersion, machineFiles }) => {
    const exported = toPreferences(result, clientVersion)
    return exported && { content: render(withFiles(exported, machineFiles?.macos)), findings: exported.findings }
  }
}

/** Creates the renderer of a script that compares the managed file of Linux. */
function fromManagedFile(render: (exported: Exported) => string): ExportFormat['render'] {
  return (result, { clientVersion, machineFiles }) => {
    const exported = toManagedFile(result, clientVersion)
    return exported && { content: render(withFiles(exported, machineFiles?.linux)), findings: exported.findings }
  }
}

function withFiles<T extends Exported>(exported: T, machineFiles: readonly string[] = []): T {
  return { ...exported, machineFiles }
}

/** A finding about both systems is reported once. */
function renderAnsible(result: ReadResult, { clientVersion, machineFiles }: ExportOptions) {
  const [linux, macos] = [toManagedFile(result, clientVersion), toPreferences(result, clientVersion)]
  if (!linux || !macos) return undefined
  const others = macos.findings.filter((other) => !linux.findings.some((one) => isDeepStrictEqual(one, other)))
  const parts = { linux: withFiles(linux, machineFiles?.linux), macos: withFiles(macos, machineFiles?.macos) }
  return { content: renderAnsibleTasks(parts), findings: [...linux.findings, ...others] }
}

/** Requires the page, because device management accepts no rule without one. */
function requireMoreInfoUrl(url: string | undefined): string {
  if (url !== undefined) return url
  throw new HelperError(
    'usage',
    'compliance rules name a page that tells people what to do',
    'name one: --more-info-url https://…',
  )
}
