import type { EndpointSettings } from '../endpoints/endpoint-settings.ts'

/** Whose console sign-in it is, and where it is made and renewed. */
export interface LoginSite {
  readonly profile: string
  /** `login_session` of the profile: the ARN of whoever signs in. */
  readonly session: string
  readonly region: string
  readonly endpoints: EndpointSettings
  /** What a person does to sign in again, imperative. */
  readonly renewalHint: string
}

/** The sign-in as messages name it. */
export function describeSignIn({ profile }: Pick<LoginSite, 'profile'>): string {
  return `the console sign-in of profile "${profile}"`
}

/** The service as messages name it. */
export function describeService({ region }: Pick<LoginSite, 'region'>): string {
  return `the AWS sign-in service in ${region}`
}
