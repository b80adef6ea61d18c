import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { Observation } from '../../../helper/diagnosis.ts'
import type { Options } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { awsOptions } from '../credentials/options.ts'
import type { AwsPlan } from '../credentials/plan.ts'
import { readAwsFiles } from '../credentials/shared-files.ts'
import { describeCaller } from './describe-caller.ts'
import { describeClocks } from './describe-clocks.ts'
import { describeSessions } from './describe-sessions.ts'
import { examineChain } from './examine-chain.ts'
import { describeProfileSettings } from './explain-plan.ts'

/**
 * Walks the chain of an AWS identity once more, and says of every step how it went, where its settings stand, how long its
 * sessions last, who the caller is, and by how much the clocks differ.
 */
export async function diagnoseAws(
  host: Host,
  options: Pick<Options<typeof awsOptions>, 'profile' | 'path'>,
  call: NetworkCall,
  plan: AwsPlan | undefined,
): Promise<readonly Observation[]> {
  if (!plan) return describeUnplanned(host, options.profile ?? 'default')
  const context = { host, plan, path: options.path, call: { ...call, warn: () => {} } }
  const sessions = await describeSessions(plan, host)
  const chain = await examineChain(context)
  const caller = await describeCaller(chain, context)
  // A wrong clock comes first, because it makes other steps fail.
  return [
    ...(await describeClocks({ ...chain, callerOffsetMs: caller.clockOffsetMs }, context)),
    ...chain.steps,
    { status: 'good', text: `region ${plan.region}` },
    ...sessions,
    ...caller.observations,
  ]
}

/** The configuration leads nowhere, and the run has said why: what can be said is where its settings stand. */
async function describeUnplanned(host: Host, profile: string): Promise<Observation[]> {
  try {
    const details = describeProfileSettings(profile, await readAwsFiles(host))
    return details.length === 0
      ? []
      : [{ status: 'bad', text: `profile "${profile}" cannot be used as it is`, details }]
  } catch (error) {
    if (error instanceof HelperError) return []
    throw error
  }
}
