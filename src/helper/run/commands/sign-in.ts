import { detectContext, isPromptAllowed } from '../../../contract/context.ts'
import type { Environment } from '../../../runtime/environment.ts'
import { HelperError } from '../../../runtime/failure.ts'
import type { AnyHelper, HelperCommand } from '../../define-helper.ts'

/** Signs a person in. */
export function createSignInCommand(signIn: NonNullable<AnyHelper['signIn']>): HelperCommand {
  return {
    summary: 'signs you in, and prints nothing',
    longestSec: 3_600,
    async run(host, options, call, plan) {
      refuseSilentContext(host, call.program)
      const found = await signIn(host, options, call, plan)
      if (!found)
        throw new HelperError(
          'not-configured',
          'with these options nobody is signed in here',
          `see what is used with: ${call.program} --explain; the option sign-in must not be off`,
        )
      await call.deadline.during('the sign-in', () => found.perform())
    },
  }
}

/** A person who runs the command asks for it, with or without a terminal; a client in a silent context does not. */
function refuseSilentContext({ env }: { readonly env: Environment }, program: string): void {
  const context = detectContext(env, () => 'terminal')
  if (isPromptAllowed(context)) return
  throw new HelperError(
    'sign-in-required',
    `in the context ${context} nobody can be asked to sign in`,
    `run in a terminal: ${program} sign-in`,
  )
}
