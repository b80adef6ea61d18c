import helper from '../../../helpers/aws-secret.ts'
import { fails, prints } from '../../setup/run-program.ts'
import { startAwsDesk } from '../../stand-ins/aws/start-aws-desk.ts'

export const program = 'aws-secret'

export const startDesk = () => startAwsDesk(program, helper)

export const failure = (status: number, message: string, hint: string) => fails(program, status, message, hint)

/** Returns the output of a run that writes nothing to stderr. */
export const printed = (document: unknown) => prints(`${JSON.stringify(document)}\n`)
