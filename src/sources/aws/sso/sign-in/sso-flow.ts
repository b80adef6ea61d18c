import type { Host } from '../../../../runtime/host.ts'
import type { SignInFlow } from '../../../oauth/flow.ts'
import { describeSession } from '../files/sso-session.ts'
import { readStoredToken } from '../files/stored-token.ts'
import { type SsoSite, signInLimitSec } from '../sso-parts.ts'

/** The sign-in to a session, for whatever profiles and helpers use it. */
export function createSsoFlow(site: SsoSite, host: Pick<Host, 'home' | 'clock'>): SignInFlow {
  const { session, startUrl, region, scopes } = site.session
  const { fips, dualStack, configured } = site.endpoints
  const address = [fips, dualStack, configured['sso-oidc']?.text]
  return {
    id: JSON.stringify(['sso', session, startUrl, region, scopes, address]),
    subject: describeSession(site.session),
    limitSec: signInLimitSec,
    isSignedIn: async () => {
      const token = await readStoredToken(site.session, host)
      return token !== undefined && token.expiresAt > host.clock.now()
    },
    run: async (tools) => (await import('./run-sso-sign-in.ts')).runSsoSignIn(site, tools),
  }
}
