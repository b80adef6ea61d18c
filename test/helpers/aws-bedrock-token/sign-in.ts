import type { AwsDirectory } from '../../stand-ins/aws/aws-directory.ts'
import type { SsoSession } from '../../stand-ins/aws/sso/sso-tokens.ts'
import { canary, type Workbench } from './workbench.ts'

export const account = '111122223333'
export const startUrl = 'https://corp.awsapps.example/start'

/**
 * Signs a person in to SSO: profile `dev` in a named session, in another region than its own, and profile `old` in the
 * older inline form.
 */
export async function signInToSso(bench: Workbench, changes: Partial<SsoSession> = {}): Promise<AwsDirectory> {
  const entry = bench.aws.addSsoSession({
    accessToken: `${canary}-access`,
    expiresAt: inMinutes(60),
    clientId: 'client-1',
    clientSecret: `${canary}-client`,
    assignments: [{ accountId: account, roleName: 'Builder' }],
    ...changes,
  })
  const role = { sso_account_id: account, sso_role_name: 'Builder', region: 'eu-central-1' }
  const site = { sso_start_url: startUrl, sso_region: 'us-west-2' }
  return bench.write({
    config: {
      'profile dev': { sso_session: 'corp', ...role },
      'profile old': { ...site, ...role },
      'sso-session corp': site,
    },
    ssoCache: { corp: entry, [startUrl]: entry },
  })
}

/** Signs a person in to the console: profile `dev`. */
export async function signInToConsole(bench: Workbench, arn: string, expiresAt: Date): Promise<AwsDirectory> {
  return bench.write({
    config: { 'profile dev': { login_session: arn, region: 'eu-central-1' } },
    loginCache: { [arn]: bench.aws.addLoginSession({ arn, expiresAt }) },
  })
}

export function inMinutes(minutes: number): Date {
  return new Date(Date.now() + minutes * 60_000)
}
