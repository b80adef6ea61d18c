import { HelperError } from '../../runtime/failure.ts'
import { isLoopback } from '../../runtime/network/loopback.ts'
import { chooseOpener } from './choose-opener.ts'
import type { SignInPrompt, SignInTools } from './flow.ts'
import type { Listeners } from './listener/create-listeners.ts'
import type { SignInParts } from './parts.ts'
import type { ShownPrompt } from './progress/note.ts'

/** The tools of a flow, and what its process does with them besides. */
export interface OwnTools extends SignInTools {
  /** Opens the address that was shown once more. */
  openAgain(): Promise<void>
  /** Never resolves. @throws what the caller's own way of opening an address has thrown. */
  readonly failure: Promise<never>
}

/** @param tell Tells whoever waits; again when the browser has been opened. */
export async function createTools(
  parts: SignInParts,
  listeners: Listeners,
  tell: (prompt: ShownPrompt) => Promise<void>,
): Promise<OwnTools> {
  const { host, call } = parts
  const { canOpen: canOpenBrowser, open } = await chooseOpener(parts)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // a sign-in that has ended no longer waits for it
  let shown: ShownPrompt | undefined
  let expiresAt = Infinity
  const openAgain = async (): Promise<void> => {
    if (!shown?.opens || host.clock.now() >= expiresAt || !(await open(shown.address))) return
    await tell({ ...shown, openedAt: host.clock.now() }).catch(() => undefined) // on a full disk nobody learns when
  }
  const show = async (prompt: SignInPrompt) => {
    shown = toShownPrompt(prompt, canOpenBrowser)
    expiresAt = prompt.expiresAt?.getTime() ?? Infinity
    await tell(shown)
    openAgain().catch(failed.reject)
  }
  const failure = failed.promise
  return { host, call, canOpenBrowser, openListener: listeners.open, show, openAgain, failure }
}

/** An address becomes an argument of a program and a link, so that nothing but a page of the web may stand in it. */
function toShownPrompt({ address, userCode }: SignInPrompt, opens: boolean): ShownPrompt {
  const url = URL.canParse(address) ? new URL(address) : undefined
  const isWeb = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isWeb) return { address: url.href, userCode, opens }
  throw new HelperError(
    'refused',
    'the provider named an address for the sign-in that is no https address',
    'ask who runs the provider, or whether something stands between it and you',
  )
}
