import type { VendorKey, VendorSetting } from './setting.ts'

/**
 * A name from the others. Real clients do not derive one from another, so this is a guess.
 * @param word The vendor's name as a part of paths and domain names; from an empty one comes nothing that can be used.
 */
export type Derivation = (given: VendorSetting, word: string) => string

/** The keys that a vendor file may leave out. */
export type DerivedKey = { [K in VendorKey]: object extends Pick<VendorSetting, K> ? K : never }[VendorKey]

/** Every name that is derived where a vendor file does not say it. */
export const derivations: Readonly<Record<DerivedKey, Derivation>> = {
  awsService: (_given, word) => word && `aws-external-${word}`,
  keyHelperTtlVariable: ({ envPrefix }) => `${envPrefix}_CODE_API_KEY_HELPER_TTL_MS`,
  macosPayloadType: (_given, word) => word && `com.${word}.desktop`,
  windowsPolicyKey: ({ name }) => `SOFTWARE\\Policies\\${name}`,
  linuxManagedFile: (_given, word) => word && `/etc/${word}-desktop/managed-settings.json`,
  codeSigningIdentifier: (_given, word) => word && `com.${word}.gatepass`,
  publisher: () => 'Gatepass maintainers',
}

/** A name as a part of paths and domain names: in lower case, with a hyphen for what these cannot hold; empty where nothing is left. */
export function toWord(name: string): string {
  // Looking for marks makes a table of Unicode first, which every call would wait for.
  const plain = /^[\x20-\x7e]*$/.test(name) ? name : name.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
