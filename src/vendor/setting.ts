// Folder: the settings of a vendor file, the forms of its names, and the derived names.

/** The names that differ between the clients of two vendors, as in a vendor file. An absent name is derived; see `rules.ts`. */
export interface VendorSetting {
  /** The vendor's name, for people. */
  readonly name: string
  /** The beginning of the client's environment variables, without the underscore. */
  readonly envPrefix: string
  /** The beginning of the platform's HTTP headers, without the hyphen. */
  readonly headerPrefix: string
  /** The word for the cloud in flat configuration keys. */
  readonly cloudWord: string
  /** The beginning of the platform's API keys. */
  readonly keyPrefix: string
  /** The beginning of the variables of the platform's own tools, without the underscore. */
  readonly platformEnvPrefix?: string
  /** The flat configuration key of the directory with the cloud's files. */
  readonly cloudConfigDirKey?: string
  /** The flat configuration key of the cloud's command-line program. */
  readonly cloudCliPathKey?: string
  /** AWS's name for the vendor's platform as AWS sells it. */
  readonly awsService?: string
  /** The vendor's coding agent's variable for how many milliseconds it keeps a key. */
  readonly keyHelperTtlVariable?: string
  /** The type of the client's payload in a configuration profile of macOS, which is its preference domain. */
  readonly macosPayloadType?: string
  /** The registry key of the client's policy on Windows, below the hive. */
  readonly windowsPolicyKey?: string
  /** The client's managed file on Linux. */
  readonly linuxManagedFile?: string
  /** The beginning of the identifiers in the code signatures of our programs on macOS; a dot and the program's name follow. */
  readonly codeSigningIdentifier?: string
  /** The publisher of our programs, in packages and in Windows. */
  readonly publisher?: string
  /** The mail address for questions and reports in packages, manual pages and pages. */
  readonly contact?: string
  /** The page on which the publisher's users find help. */
  readonly helpUrl?: string
  /** The licence of the packages, as an SPDX expression. */
  readonly licence?: string
}

/** A name that a vendor file can set. */
export type VendorKey = keyof VendorSetting

/** The name of the vendor file in the machine's directory. */
export const vendorFileName = 'vendor.json'

/** The source of the names of this process. */
export interface NameSource {
  /** The build, the machine's file, or the file that `gatepass --vendor` names. */
  readonly from: 'build' | 'machine' | 'option'
  /** The path of the file; absent if the build decides. */
  readonly path?: string
  /** The content of the file; absent if the build decides, or if there is a failure. */
  readonly setting?: VendorSetting
  /** Why no name can be used. A program checks this before it uses a name. */
  readonly failure?: { readonly kind: 'not-configured' | 'late'; readonly message: string; readonly hint: string }
  /** Every check of a file that determined this (`Look` of the runtime): a later call with the same results has the same names. */
  readonly looks: readonly object[]
}

/**
 * A property of the process instead of this module, because the piece of a program that reads the file has its own copy of this module, and
 * the rest of the program is loaded after it.
 */
const key = Symbol.for('gatepass.names')
const holder = globalThis as { [key]?: NameSource }

/** Sets the source of this process's names. Called once, before any code that uses a name is loaded. */
export function setNameSource(source: NameSource): void {
  holder[key] = source
}

/** Selects the source that was set; the build if none was set. */
export function selectNameSource(): NameSource {
  return holder[key] ?? { from: 'build', looks: [] }
}

/** Every name that contains the vendor's brand. */
export interface Vendor extends Required<VendorSetting> {
  readonly contextVariable: string
  readonly manualRunVariable: string
  readonly apiKeyVariable: string
  /** The variable with the address to which the coding agent sends its requests. */
  readonly baseUrlVariable: string
  /** The beginning of the other variables of the coding agent, without the underscore. */
  readonly agentPrefix: string
  /** In lower case, for comparisons. */
  readonly versionHeader: string
  readonly betaHeader: string
  readonly workspaceHeader: string
}

/** Returns all names of a valid setting; missing names are derived. */
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
 * @param word The vendor's name as a part of paths and domain names; if it is empty, the result is unusable.
 */
export type Derivation = (given: VendorSetting, word: string) => string

/** The keys that a vendor file may omit. */
type DerivedKey = { [K in VendorKey]: object extends Pick<VendorSetting, K> ? K : never }[VendorKey]

/** The derivation of every name that a vendor file may omit. */
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
  // The client's vendor publishes its client and not these programs, so its name would be wrong.
  publisher: () => 'unnamed publisher',
  // A program works without these two: empty means unknown.
  contact: () => '',
  helpUrl: () => '',
  licence: () => 'Apache-2.0',
}

/**
 * Returns a name for paths and domain names: in lower case, with a hyphen for each character that they cannot contain; empty if nothing is
 * left.
 */
function toWord(name: string): string {
  // A Unicode pattern builds a table on first use, for which every call would wait.
  const plain = /^[\x20-\x7e]*$/.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** Finds the common prefix of the variables of a coding agent; `undefined` if this name does not show it. */
function findAgentPrefix(keyHelperTtlVariable: string): string | undefined {
  return /^(.+)_API_KEY_HELPER_TTL_MS$/.exec(keyHelperTtlVariable)?.[1]
}
