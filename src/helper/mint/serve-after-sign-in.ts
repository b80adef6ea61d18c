import { HelperError, renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { quoteForAnyShell } from '../../runtime/text/quote.ts'
import type { ServedToken } from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import { hasArgument } from '../options/option-value.ts'
import { describeSignedIn, type SignIn, type SignInSession, type SignInState } from '../sign-in.ts'

/**
 * Serves a token after a person has signed in, if the failure requires that and a person may be asked. If nobody may be asked, nothing is
 * started, and the hint names the command that signs a person in.
 * @throws the unchanged failure, if a sign-in does not help.
 */
export async function serveAfterSignIn(failure: unknown, failed: FailedCall): Promise<ServedToken> {
  if (!isSignInRequired(failure)) throw failure
  const { host, call } = failed
  const signIn = await failed.findSignIn()
  if (!signIn) throw failure
  if (!failed.mayAsk)
    throw new HelperError(failure.kind, failure.message, renderSilentHint(host, call), { cause: failure })
  const earlier = (await signIn.isDone()) ? await serveUnlessRequired(failed) : undefined
  if (earlier) return earlier
  const doneAt = await signIn.complete()
  const state = await failed.findState()
  // Only a person at a terminal reads this line. Others have read it in the browser's tab.
  if (state && call.context === 'terminal')
    host.streams.stderr(renderNotice(call.program, describeSignedIn(state, host.clock.now())))
  return serveAndWarn(doneAt, failed, state?.session?.shortcoming)
}

/** A call that failed, and the functions that sign a person in and serve it again. */
interface FailedCall {
  readonly host: Host
  readonly call: Call
  /** Whether a person may be asked. */
  readonly mayAsk: boolean
  findSignIn(): Promise<SignIn | undefined>
  /** Finds who is signed in after the sign-in. */
  findState(): Promise<SignInState | undefined>
  /** Plans again and serves the token of the new plan, because the sign-in decides whose token it is, and so is part of the cache key. */
  serveAgain(later: Pick<FailedCall, 'host' | 'call'>): Promise<ServedToken>
}

function isSignInRequired(error: unknown): error is HelperError {
  return error instanceof HelperError && error.kind === 'sign-in-required'
}

function renderSilentHint({ argv }: Pick<Host, 'argv'>, { program }: Call): string {
  return describeTypedCommand('start a new session, which lets a person sign in, or run', program, 'sign-in', argv)
}

/** Serves a token if another run has signed a person in meanwhile; `undefined` if a sign-in is still required. */
async function serveUnlessRequired(failed: FailedCall): Promise<ServedToken | undefined> {
  try {
    return await serveSince(failed.host.clock.now(), failed)
  } catch (error) {
    if (isSignInRequired(error)) return undefined
    throw error
  }
}

/** Serves the token, and warns once of a shortcoming of the sign-in, unless the warning about the token already says what to do. */
async function serveAndWarn(
  doneAt: number,
  failed: FailedCall,
  shortcoming: SignInSession['shortcoming'],
): Promise<ServedToken> {
  const { call } = failed
  const said: string[] = []
  const tellAndKeep = (message: string) => {
    said.push(message)
    call.warn(message)
  }
  const served = await serveSince(doneAt, { ...failed, call: { ...call, warn: tellAndKeep } })
  if (shortcoming && !said.some((message) => message.includes(shortcoming.way)))
    call.warn(`${shortcoming.what}; ${shortcoming.way}`)
  return served
}

/** Serves a token as if the run had started at `startedAt`, so that a mint that failed before the sign-in does not count. */
async function serveSince(startedAt: number, { host, call, serveAgain }: FailedCall): Promise<ServedToken> {
  return serveAgain({ host: { ...host, clock: { ...host.clock, startedAt } }, call })
}

/** Describes a command for a person with a run's options, which follow only if they can be repeated in a hint. */
export function describeTypedCommand(
  before: string,
  program: string,
  command: string,
  argv: readonly string[],
): string {
  const options = argv.filter((word) => !hasArgument([word], 'explain'))
  if (!options.every(isShown)) return `${before}, with the options of this run: ${program} ${command}`
  return [`${before}: ${program} ${command}`, ...options.map(quoteForAnyShell)].join(' ')
}

/**
 * Returns whether an argument can be repeated in a hint. A header, a proxy or an address's query may hold a secret, and a shell would
 * interpret other characters.
 */
function isShown(word: string): boolean {
  if (/^--(header|proxy)/.test(word) || !/^[\w%+=:,./@ -]+$/.test(word)) return false
  return !word.includes('://') || /^(--[\w-]+=)?https?:\/\/[\w.-]+(:\d+)?(\/[\w%./-]*)?$/.test(word)
}
