// Declares the sources of AWS credentials and the plan that names one, and finds keys in the environment or in a section.

import type { NetworkCall, Plan } from '../../../helper/define-helper.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { AuthorityFile } from '../../../runtime/network/settings.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import { Secret } from '../../../runtime/secret.ts'
import type { EndpointSettings } from '../endpoint-settings.ts'
import type { AwsFiles, Section } from '../files/aws-files.ts'
import { describePaths } from '../files/locate-setting.ts'
import type { LoginSite } from '../login/login-site.ts'
import type { SigningKeys } from '../request/signing-keys.ts'
import type { SsoSession, SsoSite } from '../sso/sso-session.ts'

/** The source of credentials in the configuration, before any request. `profile` is the section's name. */
export type AwsCredentialSource =
  | ({ readonly kind: 'keys'; readonly profile: string } & AccessKeyPair)
  | ({ readonly kind: 'environment'; readonly expiration?: Date | undefined } & AccessKeyPair)
  | {
      readonly kind: 'role'
      readonly profile: string
      readonly roleArn: string
      readonly region: string
      readonly sessionName?: string | undefined
      readonly externalId?: string | undefined
      readonly durationSec: number
      readonly from: AwsCredentialSource
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
  | ({
      readonly kind: 'sso'
      readonly profile: string
      readonly account: string
      readonly role: string
    } & SsoSession)
  | {
      readonly kind: 'login'
      readonly profile: string
      readonly session: string
      /** The region of the sign-in service. */
      readonly region: string
    }
  | { readonly kind: 'container'; readonly profile?: string | undefined; readonly endpoint: string }
  | {
      readonly kind: 'instance'
      readonly profile?: string | undefined
      readonly endpoint: string
    }
  | {
      /** The AWS SDK finds the credentials. */
      readonly kind: 'sdk'
      /** Absent if no profile is named. The SDK then tries its default chain. */
      readonly profile?: string | undefined
      /** The reason for using the SDK, for people. */
      readonly reason: string
      /**
       * The source that our own chain would use; absent if it finds none. It decides whose sign-in this is, and what the cached token
       * depends on.
       */
      readonly own?: AwsCredentialSource | undefined
    }

/** One member of the union of sources, by its kind. */
export type SourceOf<K extends AwsCredentialSource['kind']> = Extract<AwsCredentialSource, { kind: K }>

/** Keys that can sign a request now, with what is known about their owner. */
export interface AwsCredentials extends SigningKeys {
  /** `undefined` for keys that do not expire. */
  readonly expiration?: Date | undefined
  readonly account?: string | undefined
  readonly role?: string | undefined
  /** The caller's ARN; absent if no answer of AWS has had it. */
  readonly arn?: string | undefined
}

/** The credentials that an AWS helper will use. */
export interface AwsPlan extends Plan {
  readonly source: AwsCredentialSource
  readonly region: string
  readonly files: AwsFiles
  /** The addresses of AWS for the whole chain. */
  readonly endpoints: EndpointSettings
  /** The `ca_bundle` of the profile. */
  readonly authority?: AuthorityFile | undefined
  /** The error of our own chain that led to the AWS SDK; absent without an error, or if the SDK was chosen. */
  readonly ownFailure?: HelperError | undefined
  /** Describes how expired credentials are renewed, for a hint. In a chain of roles, the first credentials have to be renewed. */
  readonly describeRenewal: () => string
}

/** The needs of every step of a chain of credentials. */
export interface AwsContext {
  readonly host: Host
  readonly call: NetworkCall
  readonly plan: AwsPlan
  /** The PATH on which a `credential_process` runs, from the option `path`; absent for this process's own. */
  readonly path: string | undefined
  /** Called after each step that succeeds, the innermost first. */
  readonly onStep?: (source: AwsCredentialSource, credentials: AwsCredentials) => void
}

/** The places that may configure a source: the environment, the AWS files, and the region. */
export interface Configuration {
  readonly files: AwsFiles
  readonly env: Environment
  /** The region for profiles without one of their own; empty if none is known. */
  readonly region: string
}

/**
 * Finds the keys in the environment; `undefined` without an access key ID.
 * @throws {HelperError} `not-configured` for an ID without its secret, as in the AWS CLI.
 */
export function findEnvironmentKeys(env: Environment): SourceOf<'environment'> | undefined {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (accessKeyId && !secretAccessKey) throw toPartial('AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY')
  if (!accessKeyId || !secretAccessKey) return undefined
  return {
    kind: 'environment',
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: env.AWS_SESSION_TOKEN ? new Secret(env.AWS_SESSION_TOKEN) : undefined,
    account: env.AWS_ACCOUNT_ID || undefined,
    expiration: parseExpiration(env.AWS_CREDENTIAL_EXPIRATION),
  }
}

interface AccessKeyPair {
  readonly accessKeyId: string
  readonly secretAccessKey: Secret
  readonly sessionToken?: Secret | undefined
  readonly account?: string | undefined
}

/** Parses `AWS_CREDENTIAL_EXPIRATION`, which tools that issue temporary keys set. Without it, a token could claim to outlive its keys. */
function parseExpiration(text: string | undefined): Date | undefined {
  if (!text) return undefined
  const date = new Date(text)
  if (!Number.isNaN(date.getTime())) return date
  throw new HelperError(
    'not-configured',
    'AWS_CREDENTIAL_EXPIRATION is not a date',
    'set it as the tool that made the keys says, such as 2026-01-31T12:00:00Z, or unset it',
  )
}

/** Creates the failure if only one of two variables that belong together is set. */
export function toPartial(present: string, missing: string): HelperError {
  const hint = 'set both where the client starts, or neither'
  return new HelperError('not-configured', `${present} is set, but ${missing} is not`, hint)
}

/** Finds the access key in a section; `undefined` unless it has both the ID and the secret. */
export function findKeySource(profile: string, section: Section): SourceOf<'keys'> | undefined {
  const { aws_access_key_id: accessKeyId, aws_secret_access_key: secret, aws_session_token, aws_account_id } = section
  if (!accessKeyId || !secret) return undefined
  return {
    kind: 'keys',
    profile,
    accessKeyId,
    secretAccessKey: new Secret(secret),
    sessionToken: aws_session_token ? new Secret(aws_session_token) : undefined,
    account: aws_account_id,
  }
}

/** Returns whether a section assumes a role, which takes precedence over its keys. */
export function isRoleAssumed({
  role_arn,
  source_profile,
  credential_source,
  web_identity_token_file,
}: Section): boolean {
  return Boolean(role_arn && (source_profile || credential_source || !web_identity_token_file))
}

/** Selects the first credentials of a chain, before any role; for the AWS SDK, those with which our own chain would begin. */
export function selectFirst(source: AwsCredentialSource): AwsCredentialSource {
  if (source.kind === 'role') return selectFirst(source.from)
  return source.kind === 'sdk' && source.own ? selectFirst(source.own) : source
}

/** Collects the inputs for making and renewing an SSO sign-in. */
export function toSsoSite(source: SourceOf<'sso'>, { endpoints, files, describeRenewal }: AwsPlan): SsoSite {
  const paths = describePaths(source.profile, files)
  return { session: source, endpoints, paths, renewalHint: describeRenewal() }
}

/** Collects the inputs for making and renewing a console sign-in. */
export function toLoginSite(source: SourceOf<'login'>, { endpoints, describeRenewal }: AwsPlan): LoginSite {
  const { profile, session, region } = source
  return { profile, session, region, endpoints, renewalHint: describeRenewal() }
}

/** Removes the user, password and query of a URL, because they may be secrets. */
export function dropUserAndQuery(url: string): string {
  const { origin, pathname } = URL.parse(url) ?? { origin: 'an unreadable address', pathname: '' }
  return `${origin}${pathname}`
}
