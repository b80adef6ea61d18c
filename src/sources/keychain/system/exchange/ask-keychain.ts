import type { Deadline } from '../../../../runtime/deadline.ts'
import { HelperError } from '../../../../runtime/failure.ts'
import type { KeychainPrompt } from '../../keychain.ts'
import { askChild, type ChildFailure, type ChildStart } from './ask-child.ts'
import type { ChildAnswer, ChildRequest, SystemFailure } from './messages.ts'

/** How one system's keychain is asked, and what is said of it. */
export interface SystemKeychain {
  readonly title: string
  readonly child: ChildStart
  readonly prompt: KeychainPrompt
  readonly otherwise: string
  /** Why a keychain does not answer, and what to do: imperative. */
  readonly hungHint: string
  /** Longest time that the system may take without a dialog, in milliseconds. */
  readonly longestMs?: number
  readonly explain: (failure: SystemFailure, context: FailureContext) => HelperError
}

/** What the words for a failure depend on. */
export interface FailureContext {
  readonly prompt: KeychainPrompt
  readonly otherwise: string
}

/** A keychain that hangs would hold up a call until its deadline, and a person until the client gives up. */
const longestMs = 5_000

/** What a child answers that has done what it was asked. */
type Answered = Exclude<ChildAnswer, { state: 'failed' | 'stranger' }>

/**
 * Asks the system's keychain in a child of this program.
 * @throws {HelperError} for a keychain that refused, failed or did not answer; `late`.
 */
export async function askKeychain(
  keychain: SystemKeychain,
  request: Pick<ChildRequest, 'operation' | 'item' | 'secret' | 'sealed'>,
  deadline: Deadline,
): Promise<Answered> {
  const { title, child, prompt, otherwise, explain } = keychain
  const remainingMs = deadline.remainingMs()
  // With a dialog it is a person who takes the time.
  const ms = prompt === 'allowed' ? remainingMs : Math.min(keychain.longestMs ?? longestMs, remainingMs)
  const limitSec = Math.ceil(ms / 1000) + 1
  const answer = await deadline.during('keychain', `waiting for ${title}`, ({ signal }) =>
    askChild(child, { ...request, prompt, limitSec }, { ms, signal }),
  )
  if (answer.state === 'failed') throw explain(answer, { prompt, otherwise })
  if (answer.state === 'hung' || answer.state === 'broken' || answer.state === 'stranger')
    throw explainSilence(answer, keychain, ms)
  return answer
}

function explainSilence(
  answer: ChildFailure | { readonly state: 'stranger' },
  { title, otherwise, hungHint }: SystemKeychain,
  ms: number,
): HelperError {
  if (answer.state === 'hung') {
    const message = `${title} did not answer within ${ms / 1000} s`
    return new HelperError('unavailable', message, `${hungHint}; or ${otherwise}`)
  }
  if (answer.state === 'stranger') {
    const message = `the process that asks ${title} was not started by this program`
    return new HelperError(
      'refused',
      message,
      `start it as a program of its own, and not in place of another; or ${otherwise}`,
    )
  }
  const message = `the process that asks ${title} gave no answer: ${answer.end}`
  return new HelperError('unavailable', message, `try again; if it stays so, ${otherwise}`)
}
