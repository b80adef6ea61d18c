import setting from './vendor.json' with { type: 'json' }

/** The setting that names the vendor of the client, in `vendor.json`, which a build may replace. */
export interface VendorSetting {
  /** Display form; its lower case is used in paths and payload types. */
  readonly name: string
  /** Prefix of the client's environment variables, without the underscore. */
  readonly envPrefix: string
  /** Prefix of the platform's HTTP headers, without the hyphen. */
  readonly headerPrefix: string
  /** The word for the cloud in flat configuration keys. */
  readonly cloudWord: string
  /** The beginning of the platform's API keys. */
  readonly keyPrefix: string
  /** The name that AWS has for the vendor's platform as it sells it (default: `aws-external-` and the lower case of `name`). */
  readonly awsService?: string
  /** The variable of the vendor's coding agent (default: `_CODE_API_KEY_HELPER_TTL_MS` behind `envPrefix`). */
  readonly keyHelperTtlVariable?: string
}

/** Every name that contains the vendor's brand. */
export interface Vendor extends Required<VendorSetting> {
  readonly contextVariable: string
  readonly manualRunVariable: string
  readonly apiKeyVariable: string
  /** Where the coding agent sends its requests. */
  readonly baseUrlVariable: string
  /** For how many milliseconds the coding agent keeps what its `apiKeyHelper` printed. */
  readonly keyHelperTtlVariable: string
  readonly versionHeader: string
  readonly betaHeader: string
  readonly workspaceHeader: string
  readonly macosPayloadType: string
  readonly windowsPolicyKey: string
  readonly linuxManagedFile: string
}

/** All names that contain the brand, from the setting, so that a suite for another vendor is a build option and not a fork. */
function toVendor(from: VendorSetting): Vendor {
  const word = from.name.toLowerCase()
  return {
    awsService: `aws-external-${word}`,
    ...from,
    contextVariable: `${from.envPrefix}_HELPER_CONTEXT`,
    manualRunVariable: `${from.envPrefix}_HELPER_MANUAL_RUN`,
    apiKeyVariable: `${from.envPrefix}_API_KEY`,
    baseUrlVariable: `${from.envPrefix}_BASE_URL`,
    keyHelperTtlVariable: from.keyHelperTtlVariable ?? `${from.envPrefix}_CODE_API_KEY_HELPER_TTL_MS`,
    versionHeader: `${from.headerPrefix}-version`,
    betaHeader: `${from.headerPrefix}-beta`,
    workspaceHeader: `${from.headerPrefix}-workspace-id`,
    macosPayloadType: `com.${word}.desktop`,
    windowsPolicyKey: `SOFTWARE\\Policies\\${from.name}`,
    linuxManagedFile: `/etc/${word}-desktop/managed-settings.json`,
  }
}

/** The vendor that this build is made for. */
export const vendor: Vendor = toVendor(setting)
