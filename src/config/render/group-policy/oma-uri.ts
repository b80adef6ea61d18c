import { vendor } from '../../../vendor.ts'
import { renderAdmx } from './admx.ts'
import { escapeXml } from './escape-xml.ts'
import { categoryName, type TemplatePolicy, templateFile, templatePolicies, vendorItem } from './policies.ts'

const root = './Device/Vendor/MSFT/Policy'

/**
 * A custom profile of OMA-URI settings, as Microsoft Graph takes one for `deviceManagement/deviceConfigurations`: the
 * template first, then every policy. A policy that the document does not set is disabled, so that nothing of an earlier
 * document stays.
 */
export function renderOmaUri(entries: Readonly<Record<string, string>>): string {
  const profile = {
    '@odata.type': '#microsoft.graph.windows10CustomConfiguration',
    displayName: `${vendor.name} desktop settings`,
    description: 'Written by gatepass config export --to oma-uri',
    omaSettings: [
      createSetting(
        `${templateFile}.admx`,
        `${root}/ConfigOperations/ADMXInstall/${vendorItem}/Policy/Gatepass`,
        renderAdmx(),
      ),
      ...templatePolicies.map((policy) => createPolicySetting(policy, entries[policy.valueName])),
    ],
  }
  return `${JSON.stringify(profile, undefined, 2)}\n`
}

function createPolicySetting({ name, valueName }: TemplatePolicy, value: string | undefined) {
  const data = value === undefined ? '<disabled/>' : `<enabled/><data id="${name}" value="${escapeXml(value)}"/>`
  return createSetting(valueName, `${root}/Config/${vendorItem}~Policy~${categoryName}/${name}`, data)
}

function createSetting(displayName: string, omaUri: string, value: string) {
  return { '@odata.type': '#microsoft.graph.omaSettingString', displayName, omaUri, value }
}
