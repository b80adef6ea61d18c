// The words for the source of a token, as they stand in logs and metrics.

import { type FamilyName, familyNames } from './identity-providers/detect-family-name.ts'

const awsKinds = ['keys', 'environment', 'web-identity', 'process', 'sso', 'login', 'container', 'instance'] as const
/** The kinds of source of a workload's identity token, except AWS, whose kinds are above. */
export const workloadKinds = [
  'file',
  'variable',
  'command',
  'url',
  'github-actions',
  'kubernetes',
  'google',
  'azure',
] as const
const keyKinds = ['keychain'] as const

/**
 * The kind of source that a helper uses: the first source of AWS credentials, the issuer of the identity token that is exchanged, the
 * family of the provider that a person signs in with, or the place of a key. `aws-keys` are in a profile, `aws-environment` in variables.
 */
export type SourceKind =
  | `aws-${(typeof awsKinds)[number]}`
  | (typeof workloadKinds)[number]
  | (typeof keyKinds)[number]
  | `oidc-${FamilyName}`

/** Lists every {@link SourceKind}. */
export function listSourceKinds(): SourceKind[] {
  return [
    ...awsKinds.map((kind) => `aws-${kind}` as const),
    ...workloadKinds,
    ...keyKinds,
    ...familyNames.map((family) => `oidc-${family}` as const),
  ]
}
