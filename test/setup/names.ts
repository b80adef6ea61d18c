import type { Vendor } from '../../src/vendor/setting.ts'
import { vendor } from '../../src/vendor.ts'

/** The names of a build for no vendor, in which the specification, the pages and the tests are written. */
export const neutralNames: Vendor = {
  name: 'Vendor',
  envPrefix: 'VENDOR',
  headerPrefix: 'vendor',
  cloudWord: 'Cloud',
  keyPrefix: 'sk-vendor-',
  platformEnvPrefix: 'VENDOR',
  cloudConfigDirKey: 'inferenceCloudConfigDir',
  cloudCliPathKey: 'inferenceCloudCliPath',
  awsService: 'aws-external-vendor',
  keyHelperTtlVariable: 'VENDOR_CODE_API_KEY_HELPER_TTL_MS',
  macosPayloadType: 'com.vendor.desktop',
  windowsPolicyKey: 'SOFTWARE\\Policies\\Vendor',
  linuxManagedFile: '/etc/vendor-desktop/managed-settings.json',
  codeSigningIdentifier: 'com.vendor.gatepass',
  publisher: 'Gatepass maintainers',
  contact: 'maintainers@gatepass.example',
  helpUrl: 'https://gatepass.example',
  licence: 'Apache-2.0',
  contextVariable: 'VENDOR_HELPER_CONTEXT',
  manualRunVariable: 'VENDOR_HELPER_MANUAL_RUN',
  apiKeyVariable: 'VENDOR_API_KEY',
  baseUrlVariable: 'VENDOR_BASE_URL',
  agentPrefix: 'VENDOR_CODE',
  versionHeader: 'vendor-version',
  betaHeader: 'vendor-beta',
  workspaceHeader: 'vendor-workspace-id',
}

/** Gives a function that takes a text in the neutral names, and gives it in those of this vendor. */
export function createTranslator(to: Vendor): (text: string) => string {
  const spelled = listSpellings(to)
  const pairs = Object.entries(listSpellings(neutralNames))
    .map(([key, name]): [string, string] => [name, spelled[key] ?? name])
    // Longest first, so that no name is found inside another.
    .sort(([one], [other]) => other.length - one.length)
  const names = new Map(pairs)
  const pattern = new RegExp([...names.keys()].map((name) => RegExp.escape(name)).join('|'), 'g')
  return (text) => text.replace(pattern, (found) => names.get(found) ?? found)
}

/** Lists every spelling of a name by what it names. */
function listSpellings({
  name,
  envPrefix,
  platformEnvPrefix: _,
  headerPrefix,
  cloudWord,
  ...names
}: Vendor): Record<string, string> {
  return {
    ...names,
    program: `for ${name})`,
    variables: `${envPrefix}_`,
    flatKeys: `inference${cloudWord}`,
    quotedPolicyKey: names.windowsPolicyKey.replaceAll('\\', '\\\\'),
    capitalVersion: capitalize(names.versionHeader),
    capitalBeta: capitalize(names.betaHeader),
    capitalWorkspace: capitalize(names.workspaceHeader),
  }
}

function capitalize(header: string): string {
  return header.replace(/(?<![^-])[a-z]/g, (letter) => letter.toUpperCase())
}

/** A text that is written in the neutral names, in the names of this build. */
export const toNamesInForce: (text: string) => string = createTranslator(vendor)
