import type { AnyHelper, HelperCommands } from '../../define-helper.ts'
import { createSignInCommand } from './sign-in.ts'
import { createSignOutCommand } from './sign-out.ts'

/** The commands of a person that a helper has: those of its declaration, and signing in and out where it can. */
export function listCommands(helper: AnyHelper): HelperCommands {
  const { signIn, signOut, commands } = helper
  return {
    ...(signIn && { 'sign-in': createSignInCommand(signIn) }),
    ...(signOut && { 'sign-out': createSignOutCommand(signOut) }),
    ...commands,
  }
}
