import { type DerivedKey, derivations, toWord } from './derivations.ts'
import type { VendorSetting } from './setting.ts'

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
  const derived = Object.entries(derivations).map(([key, derive]) => [key, derive(given, word)])
  return {
    ...(Object.fromEntries(derived) as Pick<Required<VendorSetting>, DerivedKey>), // the keys of that very table
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
