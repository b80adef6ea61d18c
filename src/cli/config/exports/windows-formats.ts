import { renderAdml } from '../../../config/render/group-policy/adml.ts'
import { renderAdmx } from '../../../config/render/group-policy/admx.ts'
import { renderOmaUri } from '../../../config/render/group-policy/oma-uri.ts'
import { templateFile } from '../../../config/render/group-policy/policies.ts'
import { validateEntries, validatePolicyKey } from '../../../config/render/group-policy/validate-entries.ts'
import { renderComplianceRules, renderDiscovery } from '../../../config/render/powershell/compliance.ts'
import { renderDetection, renderItemDiscovery, renderRemediation } from '../../../config/render/powershell/detection.ts'
import { renderIntune, renderRegistry, validateRegistryNames } from '../../../config/render/registry.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { ExportFormat } from './format.ts'
import { fromEntries } from './from-entries.ts'

const harmless = { reason: 'it changes nothing on a machine', hint: 'take it out of the device management' }

/** The formats for Windows. */
export const windowsFormats = {
  reg: {
    summary: 'a registry file for Windows',
    os: 'windows',
    render: fromEntries((entries) => renderRegistry(entries), validateRegistryNames),
    undo: (names) => renderRegistry({}, names),
  },
  intune: {
    summary: 'a PowerShell script that makes the same changes',
    os: 'windows',
    render: fromEntries((entries) => renderIntune(entries), validateRegistryNames),
    undo: (names) => renderIntune({}, names),
  },
  admx: {
    summary: 'an administrative template (ADMX and ADML) for group policies, in a folder',
    os: 'windows',
    render: fromEntries(
      (entries) => ({
        files: { [`${templateFile}.admx`]: renderAdmx(), [`en-US/${templateFile}.adml`]: renderAdml(entries) },
      }),
      validateEntries,
    ),
    undo: {
      reason: 'it changes nothing on a machine',
      hint: 'set the policies to "Not configured": Windows takes their values away',
    },
    renderNext: (folder) =>
      `copy what is in ${folder} to the folder PolicyDefinitions of Windows or of the domain, and enable the policies that the document sets`,
  },
  'oma-uri': {
    summary: 'a custom profile of OMA-URI settings with that template, as JSON for Microsoft Graph',
    os: 'windows',
    render: fromEntries(renderOmaUri, (entries) => [...validateEntries(entries), ...validatePolicyKey()]),
    undo: {
      reason: 'device management keeps it as a whole',
      hint: 'delete the profile: device management takes its values away',
    },
  },
  'detection-windows': {
    summary: 'a PowerShell script: how a Windows machine differs from the document',
    os: 'windows',
    render: fromEntries(renderDetection, validateRegistryNames),
    undo: harmless,
  },
  'sccm-discovery': {
    summary: 'the same for a configuration item of Configuration Manager, which reads the line and wants status 0',
    os: 'windows',
    render: fromEntries(renderItemDiscovery, validateRegistryNames),
    undo: harmless,
  },
  remediation: {
    summary: 'a PowerShell script that makes it so, and says what is left',
    os: 'windows',
    render: fromEntries(renderRemediation, validateRegistryNames),
    undo: { reason: 'it would be set again', hint: 'take it out of the device management, and use --to intune --undo' },
  },
  compliance: {
    summary: 'the discovery script and the rules of a custom compliance policy, in a folder',
    os: 'windows',
    render: fromEntries(
      (entries, { moreInfoUrl }) => ({
        files: {
          'discovery.ps1': renderDiscovery(entries),
          'rules.json': renderComplianceRules(requireMoreInfoUrl(moreInfoUrl)),
        },
      }),
      validateRegistryNames,
    ),
    undo: harmless,
  },
} as const satisfies Readonly<Record<string, ExportFormat>>

/** Device management takes no rule without a page. */
function requireMoreInfoUrl(url: string | undefined): string {
  if (url !== undefined) return url
  throw new HelperError(
    'usage',
    'compliance rules name a page that tells people what to do',
    'name one: --more-info-url https://…',
  )
}
