import type { AttemptedExchange } from '../../../helper/attempted-exchange.ts'
import type { NetworkCall } from '../../../helper/define-helper.ts'
import type { AlgorithmOption, DiagnosedRun, Diagnosis, Permission } from '../../../helper/diagnosis.ts'
import type { CommonOptions, Options } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { awsOptions } from '../credentials/options.ts'
import type { AwsPlan } from '../credentials/plan.ts'

type AwsOptions = Omit<Options<typeof awsOptions>, never>

/** What `gatepass doctor` cannot know of an AWS helper by itself. */
interface DiagnosisParts<O, P> {
  /** The identity in a plan of the helper. */
  toAwsPlan(plan: P): AwsPlan
  /** What the identity must be allowed besides assuming the roles of its profile. */
  permissions(options: O, plan: P): readonly Permission[]
  readonly algorithm?: AlgorithmOption
  /** Prepares the exchange of a run that has failed; `undefined` where these options ask for none. */
  exchange?(options: O & CommonOptions, call: NetworkCall, plan: P): Promise<AttemptedExchange | undefined>
}

/** What a helper that uses an AWS identity declares for `--explain` and `gatepass doctor`. Loaded on use: a call does without. */
export function createAwsDiagnosis<O extends AwsOptions, P>(parts: DiagnosisParts<O, P>) {
  return {
    async explain(plan: P): Promise<readonly string[]> {
      const { explainAwsPlan } = await import('./explain-plan.ts')
      return explainAwsPlan(parts.toAwsPlan(plan))
    },

    async diagnose(
      host: Host,
      options: O & CommonOptions,
      call: NetworkCall,
      { plan, outcome }: DiagnosedRun<P>,
    ): Promise<Diagnosis> {
      const { diagnoseAws } = await import('./diagnose-aws.ts')
      const identity = await diagnoseAws(host, options, call, plan && parts.toAwsPlan(plan))
      if (!plan) return { identity }
      return {
        identity,
        permissions: [...listRolePermissions(parts.toAwsPlan(plan).source), ...parts.permissions(options, plan)],
        ...(parts.algorithm && { algorithm: parts.algorithm }),
        ...(outcome === 'failed' && { exchange: await findExchange(() => parts.exchange?.(options, call, plan)) }),
      }
    },
  }
}

/** The same for a helper whose plan is the identity alone, and whose token asks for no permission. */
export const awsDiagnosis = createAwsDiagnosis<AwsOptions, AwsPlan>({
  toAwsPlan: (plan) => plan,
  permissions: () => [],
})

function listRolePermissions(source: AwsPlan['source']): Permission[] {
  if (source.kind !== 'role') return []
  return [{ action: 'sts:AssumeRole', resource: source.roleArn }, ...listRolePermissions(source.from)]
}

/** What keeps an exchange from being prepared is told by the steps of the identity. */
async function findExchange(
  prepare: () => Promise<AttemptedExchange | undefined> | undefined,
): Promise<AttemptedExchange | undefined> {
  try {
    return await prepare()
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}
