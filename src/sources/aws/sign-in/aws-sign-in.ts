import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Options } from '../../../helper/options/table.ts'
import type { SignIn } from '../../../helper/sign-in.ts'
import type { Host } from '../../../runtime/host.ts'
import type { signInOptions } from '../../oauth/options.ts'
import type { AwsPlan } from '../credentials/plan.ts'

/** What every helper that uses an AWS identity declares for the sign-in of a person. Loaded on use, because a call does without. */
export const awsSignIn = {
  async signIn(
    host: Host,
    options: Options<typeof signInOptions>,
    call: NetworkCall,
    plan: AwsPlan,
  ): Promise<SignIn | undefined> {
    const { createAwsSignIn } = await import('./create-aws-sign-in.ts')
    return createAwsSignIn(plan, { host, call, options })
  },
}
