import helper from '../../../helpers/aws-secret.ts'
import { startAwsDesk, toFailureOutcome } from '../../stand-ins/aws/start-aws-desk.ts'

export const program = 'aws-secret'

export const startDesk = () => startAwsDesk(program, helper)

export const failure = (status: number, message: string, hint: string) =>
  toFailureOutcome(program, status, message, hint)

/** Returns the output of a run that writes nothing to stderr. */
export const printed = (document: unknown) => ({ status: 0, stdout: `${JSON.stringify(document)}\n`, stderr: '' })
