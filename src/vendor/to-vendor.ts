import { vendorRules } from './rules.ts'
import type { VendorKey, VendorSetting } from './setting.ts'

/** Every name that contains the vendor's brand. */
export interface Vendor extends Required<VendorSetting> {
  readonly contextVariable: string
  readonly manualRunVariable: string
  readonly apiKeyVariable: string
  /** Where the coding agent sends its requests. */
  readonly baseUrlVariable: string
  /** In lower case, as the names of headers are compared. */
  readonly versionHeader: string
  readonly betaHeader: string
  readonly workspaceHeader: string
}

/** All names, from a valid setting: those it leaves out are derived. */
export function toVendor(given: VendorSetting): Vendor {
  const header = given.headerPrefix.toLowerCase()
  const word = toWord(given.name)
  const derived = Object.entries(vendorRules).flatMap(([key, { derive }]) =>
    derive ? [[key, derive(given, word)]] : [],
  )
  return {
    ...(Object.fromEntries(derived) as Pick<Required<VendorSetting>, OptionalKey>), // the keys that have a rule of this kind
    ...given,
    contextVariable: `${given.envPrefix}_HELPER_CONTEXT`,
    manualRunVariable: `${given.envPrefix}_HELPER_MANUAL_RUN`,
    apiKeyVariable: `${given.envPrefix}_API_KEY`,
    baseUrlVariable: `${given.envPrefix}_BASE_URL`,
    versionHeader: `${header}-version`,
    betaHeader: `${header}-beta`,
    workspaceHeader: `${header}-workspace-id`,
  }
}

/** The keys that a vendor file may leave out. */
type OptionalKey = { [K in VendorKey]: object extends Pick<VendorSetting, K> ? K : never }[VendorKey]

/** A name as a part of paths and domain names: in lower case, with a hyphen for what these cannot hold; empty where nothing is left. */
function toWord(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
