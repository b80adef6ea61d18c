import { HelperError, renderNotice } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import { quoteForAnyShell } from '../../runtime/text/quote.ts'
import type { ServedToken } from '../cache/store.ts'
import type { Call } from '../define-helper.ts'
import { describeSignedIn, type SignIn, type SignInSession, type SignInState } from '../sign-in.ts'

/**
 * Serves a token where a person has to sign in first, may be asked, and does. Where nobody may be asked nothing is started, and the
 * hint says what would sign the person in.
 * @throws the failure as it was, where no sign-in helps.
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
  // A person at a terminal sees it here; whoever starts a client has read it in the tab.
  if (state && call.context === 'terminal')
    host.streams.stderr(renderNotice(call.program, describeSignedIn(state, host.clock.now())))
  return serveAndWarn(doneAt, failed, state?.session?.shortcoming)
}

/** A call that got no token, and what could get it one. */
interface FailedCall {
  readonly host: Host
  readonly call: Call
  /** Whether a person may be asked. */
  readonly mayAsk: boolean
  findSignIn(): Promise<SignIn | undefined>
  /** Finds who is signed in after that. */
  findState(): Promise<SignInState | undefined>
  /** Plans again, because a sign-in is part of what decides whose token it is and so of the cache's key, and serves that token. */
  serveAgain(later: Pick<FailedCall, 'host' | 'call'>): Promise<ServedToken>
}

/** A shortcoming of the sign-in is told once, with the token, unless the warning about the token already says what to do. */
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

function isSignInRequired(error: unknown): error is HelperError {
  return error instanceof HelperError && error.kind === 'sign-in-required'
}

/** Another run may have signed in since; `undefined` where that sign-in is refused. */
async function serveUnlessRequired(failed: FailedCall): Promise<ServedToken | undefined> {
  try {
    return await serveSince(failed.host.clock.now(), failed)
  } catch (error) {
    if (isSignInRequired(error)) return undefined
    throw error
  }
}

/** A mint that failed before the sign-in says nothing about this one. */
async function serveSince(startedAt: number, { host, call, serveAgain }: FailedCall): Promise<ServedToken> {
  return serveAgain({ host: { ...host, clock: { ...host.clock, startedAt } }, call })
}

function renderSilentHint({ argv }: Pick<Host, 'argv'>, { program }: Call): string {
  return `start a new session, which lets a person sign in, or run: ${renderSignInCommand(program, argv)}`
}

/** The command that signs in with the options of a run, as far as they can be repeated. */
export function renderSignInCommand(program: string, argv: readonly string[]): string {
  const options = argv.filter((word) => !/^--explain(=|$)/.test(word))
  if (!options.every(isShown)) return `${program} sign-in, with the options of this run`
  return [program, 'sign-in', ...options.map(quoteForAnyShell)].join(' ')
}

/** Whether an argument can be repeated in a hint: a header, a proxy or the query of an address may hold a secret, and a shell would change other characters. */
function isShown(word: string): boolean {
  if (/^--(header|proxy)/.test(word) || !/^[\w%+=:,./@ -]+$/.test(word)) return false
  return !word.includes('://') || /^(--[\w-]+=)?https?:\/\/[\w.-]+(:\d+)?(\/[\w%./-]*)?$/.test(word)
}
