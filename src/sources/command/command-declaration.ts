import type { NetworkCall } from '../../helper/define-helper.ts'
import type { DiagnosedRun, Diagnosis } from '../../helper/diagnosis.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { CommandPlan } from './plan-command.ts'

/** The report of `--explain` and `gatepass doctor` about a program. */
export const commandDiagnosis = {
  async explain(plan: CommandPlan): Promise<readonly string[]> {
    return [...plan.steps, await describeProgram(plan)]
  },

  async diagnose(
    host: Host,
    _options: unknown,
    call: NetworkCall,
    { plan }: DiagnosedRun<CommandPlan>,
  ): Promise<Diagnosis> {
    if (!plan) return {}
    const { diagnoseCommand } = await import('./diagnose-command.ts')
    return { identity: await diagnoseCommand(host, call, plan) }
  },
}

/** Describes the program for `--explain`, which also shows a failure, as text. */
async function describeProgram(plan: CommandPlan): Promise<string> {
  try {
    return `the program is ${await plan.locate()}`
  } catch (error) {
    if (error instanceof HelperError) return error.message
    throw error
  }
}
