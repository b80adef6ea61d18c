import type { Host } from '../../../../runtime/host.ts'
import type { SignInFlow } from '../../../oauth/flow.ts'
import { hasFreshSession } from '../fetch-login-credentials.ts'
import { toLoginPath } from '../login-file.ts'
import type { LoginSite } from '../login-site.ts'

/** How long a person may take, in seconds: as long as the AWS CLI waits. */
const limitSec = 600

/** The sign-in to the console, for whatever profiles and helpers use it. */
export function createLoginFlow(site: LoginSite, host: Pick<Host, 'env' | 'home' | 'clock'>): SignInFlow {
  const { fips, dualStack, configured } = site.endpoints
  const address = [fips, dualStack, configured.signin?.text]
  return {
    id: JSON.stringify(['login', site.session, site.region, toLoginPath(site.session, host), address]),
    subject: `AWS as ${site.session}`,
    limitSec,
    isSignedIn: () => hasFreshSession({ site, host }),
    run: async (tools) => (await import('./run-login.ts')).runLogin(site, tools),
  }
}
