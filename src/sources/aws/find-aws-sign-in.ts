import type { NetworkCall } from '../../helper/define-helper.ts'
import type { SignIn } from '../../helper/sign-in.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { createSignIn } from '../oauth/create-sign-in.ts'
import type { SignInFlow } from '../oauth/flow.ts'
import {
  type AwsCredentialSource,
  type AwsPlan,
  selectFirst,
  toLoginSite,
  toSsoSite,
} from './credentials/credential-source.ts'
import { hasFreshSession } from './login/fetch-login-credentials.ts'
import { type LoginSite, toLoginPath } from './login/login-site.ts'
import { withProfileAuthority } from './request/signing-keys.ts'
import { renewTokenForRuns } from './sso/access-token.ts'
import { prepareSsoParts } from './sso/sso-credentials.ts'
import { describeSession, type SsoSite, signInLimitSec } from './sso/sso-session.ts'
import { readStoredToken } from './sso/stored-token.ts'

/** Finds the sign-in at the beginning of a plan's chain; `undefined` if it needs no person, or if the option `sign-in` is `off`. */
export function findAwsSignIn(plan: AwsPlan, parts: Parameters<typeof createSignIn>[1]): SignIn | undefined {
  const { host, call, options } = parts
  const flow = findFlow(selectFirst(plan.source), plan, host)
  if (!flow) return undefined
  const context = withProfileAuthority({ host, call, plan, path: undefined })
  const signIn = createSignIn(flow, { host, call: context.call, options })
  return signIn && options['sign-in'] === 'browser' ? toBrowserOnly(signIn, selectFirst(plan.source)) : signIn
}

/**
 * Renews the SSO sign-in with which the chain of a plan begins, for the runs that wait. Each run renews a console sign-in itself: AWS
 * gives a repeated refresh the same answer within its life (the service's published model), so nothing is lost when a run ends.
 */
export async function renewAwsSignIn(plan: AwsPlan, { host, call }: { host: Host; call: NetworkCall }): Promise<void> {
  const source = selectFirst(plan.source)
  if (source.kind !== 'sso') return
  const context = withProfileAuthority({ host, call, plan, path: undefined })
  const parts = await prepareSsoParts({ site: toSsoSite(source, plan), host, call: context.call })
  await renewTokenForRuns(source, parts, host)
}

function findFlow(source: AwsCredentialSource, plan: AwsPlan, host: Host): SignInFlow | undefined {
  switch (source.kind) {
    case 'sso':
      return createSsoFlow(toSsoSite(source, plan), host)
    case 'login':
      return createLoginFlow(toLoginSite(source, plan), host)
    default:
      return undefined
  }
}

/** Makes a sign-in fail that can only use a code, for the option `browser`. AWS signs in with a browser only for a named session. */
function toBrowserOnly(signIn: SignIn, source: AwsCredentialSource): SignIn {
  if (source.kind !== 'sso' || source.session !== undefined) return signIn
  const refuse = async () => {
    throw new HelperError(
      'not-configured',
      `sign-in is browser, and profile "${source.profile}" names no sso_session, which AWS needs for a sign-in by browser`,
      'write an [sso-session …] section and name it in the profile, or set sign-in to auto or device',
    )
  }
  return { ...signIn, complete: refuse, perform: refuse }
}

/** Creates the sign-in to an SSO session, which all profiles and helpers with that session share. */
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
    run: async (tools) => (await import('./sso/run-sso-sign-in.ts')).runSsoSignIn(site, tools),
  }
}

/** Creates the sign-in to the console, which all profiles and helpers with that session share. */
export function createLoginFlow(site: LoginSite, host: Pick<Host, 'env' | 'home' | 'clock'>): SignInFlow {
  const { fips, dualStack, configured } = site.endpoints
  const address = [fips, dualStack, configured.signin?.text]
  return {
    id: JSON.stringify(['login', site.session, site.region, toLoginPath(site.session, host), address]),
    subject: `AWS as ${site.session}`,
    limitSec: signInLimitSec,
    isSignedIn: () => hasFreshSession({ site, host }),
    run: async (tools) => (await import('./login/run-login.ts')).runLogin(site, tools),
  }
}
