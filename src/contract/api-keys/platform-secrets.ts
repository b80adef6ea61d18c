import { vendor } from '../../vendor.ts'

/** What a secret of the platform is, by the mark behind the vendor's prefix. */
interface PlatformSecret {
  readonly mark: string
  /** With its article. */
  readonly title: string
  /** Whether it is valid until somebody deletes it, or until an end that it does not state. */
  readonly life: 'long' | 'short'
}

/** The first mark is in the specification, the others are our decision. */
export const platformSecrets = {
  key: { mark: 'api01', title: 'an API key of the platform', life: 'long' },
  administrative: { mark: 'admin01', title: 'an administrative API key of the platform', life: 'long' },
  federation: { mark: 'oat01', title: "an access token of the platform's token exchange", life: 'short' },
  attestation: { mark: 'dat01', title: 'an attestation token of the platform', life: 'short' },
} as const satisfies Readonly<Record<string, PlatformSecret>>

/** Which of them a token is; `unknown` behind the vendor's prefix alone, `undefined` for a token of somebody else. */
export function findPlatformSecret(token: string): keyof typeof platformSecrets | 'unknown' | undefined {
  if (!token.startsWith(vendor.keyPrefix)) return undefined
  const names = Object.keys(platformSecrets) as (keyof typeof platformSecrets)[] // the keys of a constant
  return names.find((name) => token.startsWith(`${vendor.keyPrefix}${platformSecrets[name].mark}-`)) ?? 'unknown'
}
