import type { Observation } from '../../../helper/diagnosis.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { AwsContext } from '../credentials/aws-credentials.ts'
import { askCaller } from '../credentials/credentials.ts'
import type { ExaminedChain } from './examine-chain.ts'

/** Who the caller is, and AWS's clock less this machine's in milliseconds, where AWS was asked. */
interface DescribedCaller {
  readonly observations: readonly Observation[]
  readonly clockOffsetMs?: number
}

/** Says whose credentials a chain gave. AWS is asked where no step has said it, which also shows whether it knows the keys. */
export async function describeCaller({ credentials }: ExaminedChain, context: AwsContext): Promise<DescribedCaller> {
  if (!credentials) return { observations: [] }
  if (credentials.arn) return { observations: [toCaller(credentials.arn)] }
  try {
    const { arn, clockOffsetMs } = await askCaller(credentials, context)
    return { observations: [toCaller(arn)], clockOffsetMs }
  } catch (error) {
    if (!(error instanceof HelperError)) throw error
    const { kind, message, hint } = error
    const isAnswered = kind !== 'unavailable' && kind !== 'late'
    return { observations: [{ status: isAnswered ? 'bad' : 'unknown', text: `caller: ${message}`, hint }] }
  }
}

function toCaller(arn: string): Observation {
  return { status: 'good', text: `caller: ${arn}` }
}
