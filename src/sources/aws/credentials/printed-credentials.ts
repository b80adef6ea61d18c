import type { AwsKeys } from '../../../helper/aws-keys.ts'
import type { NetworkCall, Plan } from '../../../helper/define-helper.ts'
import type { Options } from '../../../helper/options/table.ts'
import type { Host } from '../../../runtime/host.ts'
import type { awsOptions } from './options.ts'
import type { AwsPlan } from './plan.ts'

/**
 * What a helper declares that gives the credentials that it signs with, for clients that want those.
 * @param toAwsPlan The part of the helper's plan that is about them.
 */
export function createPrintedCredentials<P extends Plan>(toAwsPlan: (plan: P) => AwsPlan) {
  return {
    async awsCredentials(
      host: Host,
      { path }: Pick<Options<typeof awsOptions>, 'path'>,
      call: NetworkCall,
      plan: P,
    ): Promise<AwsKeys> {
      const { resolveAwsCredentials } = await import('./credentials.ts')
      return resolveAwsCredentials({ host, call, plan: toAwsPlan(plan), path })
    },
  }
}
