import { HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'
import type { Call } from '../define-helper.ts'
import type { SignIn } from '../sign-in.ts'
import type { ServedToken, TokenRequest } from './cached-call.ts'
import { serveToken } from './serve-token.ts'

/** A call that got no token, and what could get it one. */
interface FailedCall {
  readonly host: Host
  readonly call: Call
  /** Whether a person may be asked. */
  readonly mayAsk: boolean
  findSignIn(): Promise<SignIn | undefined>
  /** Plans again: a sign-in is part of what decides whose token it is, and so of the cache's key. */
  prepare(): Promise<TokenRequest>
}

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
  return earlier ?? serveSince(await signIn.complete(), failed)
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
async function serveSince(startedAt: number, { host, call, prepare }: FailedCall): Promise<ServedToken> {
  return serveToken({ ...host, clock: { ...host.clock, startedAt } }, call, await prepare())
}

function renderSilentHint(host: Pick<Host, 'argv'>, { program }: Call): string {
  const argv = host.argv.filter((word) => !/^--explain(=|$)/.test(word))
  const options = argv.every(isShown)
    ? argv.map((word) => ` ${quote(word)}`).join('')
    : ', with the options of this run'
  return `start a new session, which lets a person sign in, or run: ${program} sign-in${options}`
}

/** No header, proxy or query of an address is repeated, because each may hold a secret; and nothing that a shell would change. */
function isShown(word: string): boolean {
  if (/^--(header|proxy)/.test(word) || !/^[\w%+=:,./@ -]+$/.test(word)) return false
  return !word.includes('://') || /^(--[\w-]+=)?https?:\/\/[\w.-]+(:\d+)?(\/[\w%./-]*)?$/.test(word)
}

/** As every shell takes it. */
function quote(word: string): string {
  return word.includes(' ') ? `"${word}"` : word
}
