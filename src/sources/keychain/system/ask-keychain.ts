// Starts the child that calls the system's keychain, sends it a request and reads the answer.

import { type ChildProcess, spawn } from 'node:child_process'
import type { Deadline } from '../../../runtime/deadline.ts'
import { type FailureKind, HelperError } from '../../../runtime/failure.ts'
import type { OwnCommand } from '../../../runtime/host.ts'
import type { Environment } from '../../../runtime/run-process.ts'
import type { KeychainPrompt } from '../keychain.ts'
import {
  type ChildAnswer,
  type ChildRequest,
  longestMessageBytes,
  parseAnswer,
  type SystemFailure,
} from './child-messages.ts'

/** How requests to one system's keychain are made, and described in messages. */
export interface SystemKeychain {
  readonly title: string
  readonly child: ChildStart
  readonly prompt: KeychainPrompt
  readonly otherwise: string
  /** The hint if the keychain does not answer, imperative. */
  readonly hungHint: string
  /** In milliseconds: how long the system may take without a dialog; absent: {@link usualLongestMs}. */
  readonly longestMs?: number
  readonly explain: (failure: SystemFailure, context: FailureContext) => HelperError
}

/** The command and the environment of the child process that calls the keychain. */
interface ChildStart {
  readonly command: OwnCommand
  readonly env: Environment
}

/** The facts about a run that change how a failure is described. */
export interface FailureContext {
  readonly prompt: KeychainPrompt
  readonly otherwise: string
}

/** The kind, message and hint of a keychain's failure. */
export type FailureWords = readonly [kind: FailureKind, message: string, hint: string]

/**
 * Sends a request to the system's keychain, in a child process of this program.
 * @throws {HelperError} for a keychain that refused, failed or did not answer; `late`.
 */
export async function askKeychain(
  keychain: SystemKeychain,
  request: Pick<ChildRequest, 'operation' | 'item' | 'secret' | 'sealed'>,
  deadline: Deadline,
): Promise<Answered> {
  const { title, child, prompt, otherwise, explain } = keychain
  const remainingMs = deadline.remainingMs()
  // A dialog may take the rest of the deadline, because it waits for a person.
  const limitMs = prompt === 'allowed' ? remainingMs : Math.min(keychain.longestMs ?? usualLongestMs, remainingMs)
  const limitSec = Math.ceil(limitMs / 1000) + 1
  const answer = await deadline.during('keychain', `waiting for ${title}`, ({ signal }) =>
    askChild(child, { ...request, prompt, limitSec }, { limitMs, signal }),
  )
  if (answer.state === 'failed') throw explain(answer, { prompt, otherwise })
  if (answer.state === 'hung' || answer.state === 'broken' || answer.state === 'stranger')
    throw explainSilence(answer, keychain, limitMs)
  return answer
}

/** In milliseconds. Without this limit, a keychain that hangs would delay a call until its deadline. */
const usualLongestMs = 5_000

/** The answer of a child after success. */
type Answered = Exclude<ChildAnswer, { state: 'failed' | 'stranger' }>

/**
 * Runs a child, and kills it if it does not answer in time. The request and the secret go over stdin and stdout, because any program of the
 * user can read the arguments and the environment of a process.
 */
async function askChild(
  { command: { program, args, argv0 }, env }: ChildStart,
  request: ChildRequest,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<ChildAnswer | ChildFailure> {
  // The child's stderr is ignored, because its answer holds the failure.
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore']
  const child = spawn(program, args, { argv0, env: { ...env }, stdio, windowsHide: true })
  const end = () => child.kill('SIGKILL')
  signal.addEventListener('abort', end)
  let isHung = false
  const timer = setTimeout(() => {
    isHung = true
    end()
  }, limitMs)
  try {
    child.stdin.on('error', () => undefined) // the child has ended; its status is read below
    child.stdin.end(JSON.stringify(request))
    const [output, ended] = await Promise.all([collectOutput(child), waitForEnd(child)])
    return isHung ? { state: 'hung' } : (parseAnswer(output) ?? { state: 'broken', end: ended })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** The end of a child without an answer. */
type ChildFailure = { readonly state: 'hung' } | { readonly state: 'broken'; readonly end: string }

function explainSilence(
  answer: ChildFailure | { readonly state: 'stranger' },
  { title, otherwise, hungHint }: SystemKeychain,
  limitMs: number,
): HelperError {
  if (answer.state === 'hung') {
    const message = `${title} did not answer within ${limitMs / 1000} s`
    return new HelperError('unavailable', message, `${hungHint}; or ${otherwise}`)
  }
  const subject = `the process that asks ${title}`
  if (answer.state === 'stranger')
    return new HelperError(
      'refused',
      `${subject} was not started by this program`,
      `start it as a program of its own, and not in place of another; or ${otherwise}`,
    )
  return new HelperError(
    'unavailable',
    `${subject} gave no answer: ${answer.end}`,
    `try again; if it stays so, ${otherwise}`,
  )
}

function collectOutput(child: ChildProcess): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= longestMessageBytes) chunks.push(chunk)
      else child.kill('SIGKILL')
    })
    child.stdout?.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
}

/** Waits until the child has ended. @returns its exit status or signal, for a message. */
function waitForEnd(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('error', (error: NodeJS.ErrnoException) => resolve(`it could not be started (${error.code})`))
    child.on('exit', (status, signal) => resolve(signal ? `it was ended by ${signal}` : `it ended with ${status}`))
  })
}
