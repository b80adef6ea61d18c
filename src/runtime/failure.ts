import { selectNameSource } from '../vendor/setting.ts'
import { escapeControls } from './text/escape.ts'

/** Every way in which a program can fail, and the exit status for its caller. */
export const exitStatus = {
  usage: 2,
  'not-configured': 3,
  'sign-in-required': 4,
  refused: 5,
  unavailable: 6,
  late: 7,
  /** `EX_SOFTWARE` of BSD's sysexits.h. 1 is an answer, on which a script decides. */
  bug: 70,
  /** `EX_IOERR` of sysexits.h: the message could not be written. */
  unwritable: 74,
} as const

/** The exit status of every outcome: the two answers of a command, the kinds of failure, and an end by SIGINT as shells report it (128 + 2). */
export const outcomeStatus = { done: 0, no: 1, ...exitStatus, interrupted: 130 } as const

/** A kind of failure. It decides how a client, or the next holder of the mint lock, continues. */
export type FailureKind = keyof typeof exitStatus

/** A failure that a person can do something about: `hint` is imperative and right on this machine. */
export class HelperError extends Error {
  readonly kind: FailureKind
  readonly hint: string

  constructor(kind: FailureKind, message: string, hint: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HelperError'
    this.kind = kind
    this.hint = hint
  }
}

/** Returns whether JavaScript throws this error for a mistake in a program. A text that is not a URL is a mistake in the settings. */
export function isProgrammingError(error: unknown): boolean {
  if (findErrorCode(error) === 'ERR_INVALID_URL') return false
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}

/** Finds the code of a system error, such as `ENOENT`; `undefined` for an error without one. */
export function findErrorCode(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** Renders the code of a system error for a message. */
export function renderErrorCode(error: unknown): string {
  return findErrorCode(error) ?? 'unknown error'
}

/** Returns whether the disk was full, or this user's quota of it. */
export function isWithoutRoom(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(findErrorCode(error) ?? '')
}

/**
 * Converts anything thrown to a failure. An unforeseen error is a `bug`, of which only the name is reported, because its message may repeat
 * data.
 */
export function toHelperError(thrown: unknown): HelperError {
  if (thrown instanceof HelperError) return thrown
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  return new HelperError(
    'bug',
    `this program has a defect (${name})`,
    'report it to whoever gave you the program, with the output of --version and what you did',
    {
      cause: thrown,
    },
  )
}

/** Returns a caught error, if only failures for a person are expected. @throws anything else, unchanged. */
export function requireHelperError(thrown: unknown): HelperError {
  if (thrown instanceof HelperError) return thrown
  throw thrown
}

/** Does something whose failure another part of the program reports; `undefined` then. @throws any other error, unchanged. */
export async function attemptUnlessFailed<T>(attempt: () => Promise<T>): Promise<T | undefined> {
  try {
    return await attempt()
  } catch (error) {
    if (error instanceof HelperError) return undefined
    throw error
  }
}

/** The hint where this machine's clock differs from the one that counts. */
export const clockHint = 'set the clock of this machine'

/**
 * How much two clocks may differ before a message mentions it, in seconds. Our decision: far above the time that an answer takes,
 * so that a slow answer is not mistaken for a wrong clock.
 */
export const toleratedSkewSec = 120

/**
 * Describes a wrong clock, such as `this machine's clock is 10 min behind AWS's`.
 * @param aheadMs How far this machine's clock is ahead; negative if it is behind.
 */
export function describeClockDifference(aheadMs: number, whose: string): string {
  const seconds = Math.round(Math.abs(aheadMs) / 1000)
  const shown = seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
  return `this machine's clock is ${shown} ${aheadMs > 0 ? 'ahead of' : 'behind'} ${whose}`
}

/** Describes how to set options that a run needs, as a hint. @param what The options, or a pronoun where the message names them. */
export function describeSetting(program: string, what: string): string {
  return `set ${what} by argument, variable or file; see: ${program} --help`
}

export function renderFailure(program: string, failure: HelperError): string {
  return `${program}: ${toOneLine(failure.message)}\n${renderHint(program, failure.hint)}`
}

export function renderWarning(program: string, message: string): string {
  return `${program}: warning: ${toOneLine(message)}\n`
}

/** Renders a hint, which is imperative, as a line for stderr. */
export function renderHint(program: string, hint: string): string {
  return `${program}: hint: ${toOneLine(hint)}\n`
}

/** Renders a message that is neither a warning nor a hint as a line for stderr. */
export function renderNotice(program: string, message: string): string {
  return `${program}: ${toOneLine(message)}\n`
}

/** Renders a text as one line. A line break or an escape sequence in a name from a file or a server must not forge another line. */
export function toOneLine(text: string): string {
  return escapeControls(text.replace(/[\t-\r\x85\u2028\u2029]+/g, ' ')).trim()
}

/** Puts a text on one line, and keeps the spaces at its beginning. */
export function toIndentedLine(text: string): string {
  return `${/^ */.exec(text)?.[0] ?? ''}${toOneLine(text)}`
}

/** A problem with options, and its hint. Neither repeats a value. */
export interface Problem {
  /** `not-configured`: something is missing; `usage` or `refused`: something cannot be used. */
  readonly kind: FailureKind
  readonly message: string
  /** How to fix the problem, in the imperative. */
  readonly hint: string
}

/** Joins all problems in one failure. An unusable value takes precedence over a missing one. */
export function toProblemError(problems: readonly Problem[]): HelperError {
  const kind = problems.find((problem) => problem.kind !== 'not-configured')?.kind ?? 'not-configured'
  const join = (part: 'message' | 'hint') => [...new Set(problems.map((problem) => problem[part]))].join('; ')
  return new HelperError(kind, join('message'), join('hint'))
}

/** Returns the failure of reading a value as a list of at most one problem. */
export function validateReading(read: () => unknown): Problem[] {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof HelperError) return [error]
    throw error
  }
}

/** Returns whether a value cannot be used. A missing value may still come from the file of a machine. */
export function isMisuse({ kind }: Problem): boolean {
  return kind !== 'not-configured'
}

/**
 * Refuses to continue if the file with the vendor's names could not be used. With other names than the client's, a program would silently
 * do the wrong thing.
 * @throws {HelperError}
 */
export function refuseBrokenNames(): void {
  const { failure } = selectNameSource()
  if (failure) throw new HelperError(failure.kind, failure.message, failure.hint)
}
