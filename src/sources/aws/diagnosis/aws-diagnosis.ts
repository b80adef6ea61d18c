import type { AttemptedExchange } from '../../../helper/attempted-exchange.ts'
import type { NetworkCall, Plan } from '../../../helper/define-helper.ts'
import type { AlgorithmOption, DiagnosedRun, Diagnosis, Permission } from '../../../helper/diagnosis.ts'
import type { CommonOptions, Options } from '../../../helper/options/table.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { Host } from '../../../runtime/host.ts'
import type { awsOptions } from '../credentials/options.ts'
import type { AwsPlan } from '../credentials/plan.ts'

type AwsOptions = Pick<Options<typeof awsOptions>, 'profile' | 'path'>

/** What `gatepass doctor` cannot know of an AWS helper by itself. */
interface DiagnosisParts<O, P> {
  /** Whether these options lead to an AWS identity; absent where all do. */
  isAws?(options: O): boolean
  /** The identity in a plan of the helper; `undefined` where it uses another kind. */
  toAwsPlan(plan: P): AwsPlan | undefined
  /** What the identity must be allowed besides assuming the roles of its profile. */
  permissions(options: O, plan: P): readonly Permission[]
  readonly algorithm?: AlgorithmOption
  /** Prepares the exchange of a run that has failed; `undefined` where these options ask for none. */
  exchange?(options: O & CommonOptions, call: NetworkCall, plan: P): Promise<AttemptedExchange | undefined>
}

/** What a helper that uses an AWS identity declares for `--explain` and `gatepass doctor`. Loaded on use: a call does without. */
export function createAwsDiagnosis<O extends AwsOptions, P extends Plan>(parts: DiagnosisParts<O, P>) {
  return {
    async explain(plan: P): Promise<readonly string[]> {
      const aws = parts.toAwsPlan(plan)
      return aws ? (await import('./explain-plan.ts')).explainAwsPlan(aws, plan.steps) : plan.steps
    },

    async diagnose(
      host: Host,
      options: O & CommonOptions,
      call: NetworkCall,
      { plan, outcome }: DiagnosedRun<P>,
    ): Promise<Diagnosis> {
      const identity = await diagnoseIdentity(parts, host, options, call, plan)
      const aws = plan && parts.toAwsPlan(plan)
      return {
        ...(identity && { identity }),
        ...(plan && aws && { permissions: [...listRolePermissions(aws.source), ...parts.permissions(options, plan)] }),
        ...(parts.algorithm && { algorithm: parts.algorithm }),
        ...(plan &&
          outcome === 'failed' && { exchange: await findExchange(() => parts.exchange?.(options, call, plan)) }),
      }
    },
  }
}

async function diagnoseIdentity<O extends AwsOptions, P>(
  { isAws = () => true, toAwsPlan }: DiagnosisParts<O, P>,
  host: Host,
  options: O,
  call: NetworkCall,
  plan: P | undefined,
): Promise<Diagnosis['identity']> {
  if (!isAws(options)) return undefined
  const { diagnoseAws } = await import('./diagnose-aws.ts')
  return diagnoseAws(host, options, call, plan && toAwsPlan(plan))
}

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
