import type { SignIn } from '../../../helper/sign-in.ts'
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
  const { host, call, way } = parts
  const flow = findFlow(plan.source, plan, host)
  if (!flow) return undefined
  const context = addProfileAuthority({ host, call, plan, path: undefined })
  return createSignIn(flow, { host, call: context.call, way })
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
