import { isPromptAllowed } from '../../../contract/context.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { AnyHelper, CommandCall, HelperCommand } from '../../define-helper.ts'

/** Signs a person in. */
export function createSignInCommand(signIn: NonNullable<AnyHelper['signIn']>): HelperCommand {
  return {
    summary: 'signs you in, and prints nothing',
    longestSec: 3_600,
    async run(host, options, call, plan) {
      refuseSilentContext(call)
      const found = await signIn(host, options, call, plan)
      if (!found)
        throw new HelperError(
          'not-configured',
          'with these options nobody is signed in here',
          `see what is used with: ${call.program} --explain; the option sign-in must not be off`,
        )
      await call.deadline.during('sign-in', 'the sign-in', () => found.perform())
    },
  }
}

function refuseSilentContext({ context, program }: CommandCall): void {
  if (isPromptAllowed(context)) return
  throw new HelperError(
    'sign-in-required',
    `in the context ${context} nobody can be asked to sign in`,
    `run in a terminal: ${program} sign-in`,
  )
}
