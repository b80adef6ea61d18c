import type { VendorKey, VendorSetting } from './setting.ts'

/** Every name that contains the vendor's brand. */
export interface Vendor extends Required<VendorSetting> {
  readonly contextVariable: string
  readonly manualRunVariable: string
  readonly apiKeyVariable: string
  /** The variable with the address to which the coding agent sends its requests. */
  readonly baseUrlVariable: string
  /** The beginning of the other variables of the coding agent, without the underscore. */
  readonly agentPrefix: string
  /** In lower case, as the names of headers are compared. */
  readonly versionHeader: string
  readonly betaHeader: string
  readonly workspaceHeader: string
}

/** All names, from a valid setting: those it leaves out are derived. */
export function toVendor(given: VendorSetting): Vendor {
  const header = given.headerPrefix.toLowerCase()
  const word = toWord(given.name)
  const derived = Object.entries(derivations).map(([key, derive]) => [key, derive(given, word)])
  const names = {
    ...(Object.fromEntries(derived) as Pick<Required<VendorSetting>, DerivedKey>), // the keys of that very table
    ...given,
  }
  return {
    ...names,
    contextVariable: `${given.envPrefix}_HELPER_CONTEXT`,
    manualRunVariable: `${given.envPrefix}_HELPER_MANUAL_RUN`,
    apiKeyVariable: `${names.platformEnvPrefix}_API_KEY`,
    baseUrlVariable: `${names.platformEnvPrefix}_BASE_URL`,
    agentPrefix: findAgentPrefix(names.keyHelperTtlVariable) ?? `${given.envPrefix}_CODE`,
    versionHeader: `${header}-version`,
    betaHeader: `${header}-beta`,
    workspaceHeader: `${header}-workspace-id`,
  }
}

/**
 * A name that is derived from the others. Real clients do not derive one name from another, so this is a guess.
 * @param word The vendor's name as a part of paths and domain names; if it is empty, the result cannot be used.
 */
export type Derivation = (given: VendorSetting, word: string) => string

/** The keys that a vendor file may leave out. */
type DerivedKey = { [K in VendorKey]: object extends Pick<VendorSetting, K> ? K : never }[VendorKey]

/** Every name that is derived if a vendor file does not hold it. */
export const derivations: Readonly<Record<DerivedKey, Derivation>> = {
  platformEnvPrefix: ({ envPrefix }) => envPrefix,
  cloudConfigDirKey: ({ cloudWord }) => `inference${cloudWord}ConfigDir`,
  cloudCliPathKey: ({ cloudWord }) => `inference${cloudWord}CliPath`,
  awsService: (_given, word) => word && `aws-external-${word}`,
  keyHelperTtlVariable: ({ envPrefix }) => `${envPrefix}_CODE_API_KEY_HELPER_TTL_MS`,
  macosPayloadType: (_given, word) => word && `com.${word}.desktop`,
  windowsPolicyKey: ({ name }) => `SOFTWARE\\Policies\\${name}`,
  linuxManagedFile: (_given, word) => word && `/etc/${word}-desktop/managed-settings.json`,
  codeSigningIdentifier: (_given, word) => word && `com.${word}.gatepass`,
  publisher: () => 'Gatepass maintainers',
}

/** The beginning that the variable of a real coding agent shares with the others; `undefined` if its name says nothing of it. */
function findAgentPrefix(keyHelperTtlVariable: string): string | undefined {
  return /^(.+)_API_KEY_HELPER_TTL_MS$/.exec(keyHelperTtlVariable)?.[1]
}

/** A name as a part of paths and domain names: in lower case, with a hyphen for each sign that these cannot hold; empty if nothing is left. */
function toWord(name: string): string {
  // A search for marks makes a Unicode table first, for which every call would wait.
  const plain = /^[\x20-\x7e]*$/.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
