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
  /** An argument without which the words mean something else. */
  readonly argument?: string
}

/** By the program's name. Their own words, from their documentation and their published code. */
const programs: Readonly<Record<string, SignInRow>> = {
  gcloud: { says: /gcloud auth login|reauthenticat/i, args: 'auth login' },
  az: { says: /az login|AADSTS\d+/, args: 'login' },
  gh: { says: /no oauth token|gh auth login|not logged in/i, args: 'auth login' },
  vault: { says: /missing client token|invalid token|bad token/i, args: 'login' },
  op: { says: /not (?:currently )?signed in|no accounts configured|session expired|authorization/i, args: 'signin' },
  cloudflared: {
    says: /unable to find token|token for provided application was empty/i,
    hint: 'run in a terminal: cloudflared access login, with the address of the application behind it',
  },
  curl: { says: /returned error: 401/, argument: '--negotiate', hint: 'run in a terminal: kinit' },
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
  { program: { name, args }, outcome }: ProgramRun,
  message: string,
  command: string | undefined,
): HelperError | undefined {
  if (outcome.ended !== 'exited') return undefined
  const known = findRow(name, args)
  if (!known?.says.test(outcome.stderr) && !others.test(outcome.stderr)) return undefined
  return new HelperError('sign-in-required', message, describeSignIn(name, known, command))
}

function findRow(name: string, args: readonly string[]): SignInRow | undefined {
  const base = basename(name).replace(/\.(?:exe|cmd|bat)$/i, '')
  const row = Object.hasOwn(programs, base) ? programs[base] : undefined
  return row?.argument === undefined || args.includes(row.argument) ? row : undefined
}

function describeSignIn(name: string, known: SignInRow | undefined, command: string | undefined): string {
  if (command !== undefined) return `run in a terminal: ${command}`
  if (known?.args !== undefined) return `run in a terminal: ${quoteWord(name)} ${known.args}`
  return known?.hint ?? `sign in with ${name} in a terminal, as it says; sign-in-command puts that command here`
}
