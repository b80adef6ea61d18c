import { basename } from 'node:path'
import { HelperError } from '../../runtime/failure.ts'
import { quoteWord } from '../aws/credentials/hints.ts'
import type { ProgramRun } from '../program/run-program.ts'

/** What a known program says where somebody has to sign in, and what a person does then. */
interface SignInRow {
  readonly says: RegExp
  /** The arguments of the program that signs in; or a whole instruction, imperative. */
  readonly args?: string
  readonly hint?: string
}

/** By the program's name. Their own words, from their documentation and their published code. */
const programs: Readonly<Record<string, SignInRow>> = {
  gcloud: { says: /gcloud auth login|reauthenticat/i, args: 'auth login' },
  az: { says: /az login|AADSTS\d+/, args: 'login' },
  gh: { says: /no oauth token|gh auth login|not logged in/i, args: 'auth login' },
  vault: { says: /permission denied|missing client token|invalid token/i, args: 'login' },
  op: { says: /not (?:currently )?signed in|no accounts configured|session expired|authorization/i, args: 'signin' },
  cloudflared: {
    says: /unable to find token|token for provided application was empty/i,
    hint: 'run in a terminal: cloudflared access login, with the address of the application behind it',
  },
  databricks: { says: /databricks auth login|refresh token is invalid|cache: /i, args: 'auth login' },
  security: {
    says: /user interaction is not allowed|-25308/i,
    hint: 'run in a terminal: security unlock-keychain',
  },
  pass: {
    says: /no pinentry|inappropriate ioctl|no secret key|decryption failed|timeout|cancelled/i,
    hint: 'unlock the key in a terminal, so that its agent keeps it: run pass show, with the name of the entry',
  },
}

/** The same of every other program. */
const others =
  /\bnot (?:currently |yet )?(?:logged|signed) ?in\b|\b(?:log|sign)[ -]?in (?:again|first|required)|\bplease (?:run|log|sign|re-?auth)|re-?authenticat|\b(?:session|credentials?|login|refresh token) (?:has |have |is |are )?expired|\bunauthenticated\b|\bno (?:kerberos )?credentials\b|\bticket expired\b/i

/**
 * The failure of a program that says that somebody has to sign in; `undefined` where it does not.
 * @param command What people run then, where the settings say it.
 */
export function findSignInFailure(
  { program: { name }, outcome }: ProgramRun,
  message: string,
  command: string | undefined,
): HelperError | undefined {
  if (outcome.ended !== 'exited') return undefined
  const known = programs[basename(name).replace(/\.(?:exe|cmd|bat)$/i, '')]
  if (!(known?.says ?? others).test(outcome.stderr) && !others.test(outcome.stderr)) return undefined
  return new HelperError('sign-in-required', message, describeSignIn(name, known, command))
}

function describeSignIn(name: string, known: SignInRow | undefined, command: string | undefined): string {
  if (command !== undefined) return `run in a terminal: ${command}`
  if (known?.args !== undefined) return `run in a terminal: ${quoteWord(name)} ${known.args}`
  return known?.hint ?? `sign in with ${name} in a terminal, as it says; sign-in-command puts that command here`
}
