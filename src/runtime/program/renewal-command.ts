import type { Environment } from '../run-process.ts'

/** The first argument with which a helper starts itself again, to renew a sign-in in a process that outlives the run. */
export const renewalCommand = 'renewal'

/** The environment variable that names the step of a process. */
export const renewalStepVariable = 'GATEPASS_RENEWAL_STEP'

/** Detects the step of this process; `undefined` for every other run. */
export function detectRenewalStep({ [renewalStepVariable]: step }: Environment): RenewalStep | undefined {
  return step === 'relay' || step === 'hold' ? step : undefined
}

/** The run starts a relay, which starts the renewing process and ends, so that the renewing process is an orphan. */
type RenewalStep = 'relay' | 'hold'
