import type { Secret } from '../../../runtime/secret.ts'

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  readonly account?: string | undefined
}

/** Where credentials come from, as the configuration says, before any request. `profile` is the section's name. */
export type CredentialSource =
  | ({ readonly kind: 'keys'; readonly profile: string } & Keys)
  | ({ readonly kind: 'environment'; readonly expiration?: Date | undefined } & Keys)
  | {
      readonly kind: 'role'
      readonly profile: string
      readonly roleArn: string
      readonly region: string
      readonly sessionName?: string | undefined
      readonly externalId?: string | undefined
      readonly durationSec: number
      readonly from: CredentialSource
    }
  | {
      readonly kind: 'web-identity'
      readonly profile?: string | undefined
      readonly roleArn: string
      readonly region: string
      readonly tokenFile: string
      readonly sessionName?: string | undefined
    }
  | {
      readonly kind: 'process'
      readonly profile: string
      readonly command: string
      readonly account?: string | undefined
    }
  | {
      readonly kind: 'sso'
      readonly profile: string
      /** Name of the `sso-session` section; absent where the profile itself holds the SSO settings. */
      readonly session?: string | undefined
      readonly startUrl: string
      /** `sso_region`. */
      readonly region: string
      /** `sso_registration_scopes` of the section; absent where there are none. */
      readonly scopes?: readonly string[] | undefined
      readonly account: string
      readonly role: string
    }
  | {
      readonly kind: 'login'
      readonly profile: string
      readonly session: string
      /** The region in which the sign-in is renewed. */
      readonly region: string
    }
  | { readonly kind: 'container'; readonly profile?: string | undefined; readonly endpoint: string }
  | {
      readonly kind: 'instance'
      readonly profile?: string | undefined
      readonly endpoint: string
    }

/** The source of one kind. */
export type SourceOf<K extends CredentialSource['kind']> = Extract<CredentialSource, { kind: K }>

/** A source in words, one step each, the outermost first, for `--explain`. */
export function describeSource(source: CredentialSource): string[] {
  switch (source.kind) {
    case 'keys':
      return [`profile "${source.profile}": access key ${source.accessKeyId}`]
    case 'environment':
      return [`environment: access key ${source.accessKeyId}`]
    case 'role':
      return [`profile "${source.profile}": assumes ${source.roleArn} with`, ...describeSource(source.from)]
    case 'web-identity':
      return [`${describeOwner(source)}: assumes ${source.roleArn} with the identity token in ${source.tokenFile}`]
    case 'process':
      return [`profile "${source.profile}": runs its credential_process`]
    case 'sso':
      return [
        `profile "${source.profile}": role ${source.role} in account ${source.account}, signed in at ${source.startUrl}`,
      ]
    case 'login':
      return [`profile "${source.profile}": console sign-in ${source.session}`]
    case 'container':
      return [`${describeOwner(source)}: container credentials at ${dropUrlSecrets(source.endpoint)}`]
    case 'instance':
      return [`${describeOwner(source)}: instance metadata`]
  }
}

/** A URL without user, password and query, which may be secrets. */
export function dropUrlSecrets(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: 'an unreadable address', pathname: '' }
  return `${origin}${pathname}`
}

function describeOwner({ profile }: { readonly profile?: string | undefined }): string {
  return profile === undefined ? 'environment' : `profile "${profile}"`
}
