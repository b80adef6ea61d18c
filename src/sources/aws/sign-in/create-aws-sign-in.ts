import type { SignIn } from '../../../helper/sign-in.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import { createSignIn } from '../../oauth/create-sign-in.ts'
import type { SignInFlow } from '../../oauth/flow.ts'
import type { CredentialSource } from '../credentials/credential-source.ts'
import { toLoginSite, toSsoSite } from '../credentials/credentials.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { createLoginFlow } from '../login/sign-in/login-flow.ts'
import { addProfileAuthority } from '../request/request-context.ts'
import { createSsoFlow } from '../sso/sign-in/sso-flow.ts'

/** The sign-in with which the chain of a plan begins; `undefined` where it needs no person, or the option `sign-in` is `off`. */
export function createAwsSignIn(plan: AwsPlan, parts: Parameters<typeof createSignIn>[1]): SignIn | undefined {
  const { host, call, options } = parts
  const flow = findFlow(plan.source, plan, host)
  if (!flow) return undefined
  const context = addProfileAuthority({ host, call, plan, path: undefined })
  const signIn = createSignIn(flow, { host, call: context.call, options })
  return signIn && options['sign-in'] === 'browser' ? refuseCodes(signIn, plan.source) : signIn
}

/** AWS signs in by a browser only for a session; the flow would take a code otherwise, which `browser` rules out. */
function refuseCodes(signIn: SignIn, source: CredentialSource): SignIn {
  if (source.kind === 'role') return refuseCodes(signIn, source.from)
  if (source.kind !== 'sso' || source.session !== undefined) return signIn
  const refuse = async () => {
    throw new HelperError(
      'not-configured',
      `sign-in is browser, and profile "${source.profile}" names no sso_session, with which alone AWS signs in by a browser`,
      'write an [sso-session …] section and name it in the profile, or set sign-in to auto or device',
    )
  }
  return { ...signIn, complete: refuse, perform: refuse }
}

function findFlow(source: CredentialSource, plan: AwsPlan, host: Host): SignInFlow | undefined {
  switch (source.kind) {
    case 'role':
      return findFlow(source.from, plan, host)
    case 'sso':
      return createSsoFlow(toSsoSite(source, plan), host)
    case 'login':
      return createLoginFlow(toLoginSite(source, plan), host)
    default:
      return undefined
  }
}
