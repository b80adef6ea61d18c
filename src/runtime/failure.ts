import { escapeControls } from './escape-controls.ts'

/** Every way in which a program of ours can fail, and the exit status that its caller sees. */
export const exitStatus = {
  usage: 2,
  'not-configured': 3,
  'sign-in-required': 4,
  refused: 5,
  unavailable: 6,
  late: 7,
  /** `EX_SOFTWARE` of BSD's sysexits.h: 1 is an answer, by which a script decides. */
  bug: 70,
} as const

/** A kind of failure, by which a client and the mint lock decide what follows. */
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

/**
 * Whether an error is one that JavaScript throws for a mistake in a program. A text that is no URL is a mistake of whoever
 * wrote it.
 */
export function isProgrammingError(error: unknown): boolean {
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ERR_INVALID_URL') return false
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}

/**
 * Anything thrown, as a failure. An error that nobody foresaw is a `bug`, reported by its name alone, because its message
 * may repeat data.
 */
export function toHelperError(thrown: unknown): HelperError {
  if (thrown instanceof HelperError) return thrown
  const name = thrown instanceof Error ? thrown.name : typeof thrown
  return new HelperError('bug', `this is a defect (${name})`, 'report it with the version and what you did', {
    cause: thrown,
  })
}

/** A failure as the lines that a person reads on stderr. */
export function renderFailure(program: string, failure: HelperError): string {
  return `${program}: ${toOneLine(failure.message)}\n${program}: hint: ${toOneLine(failure.hint)}\n`
}

/** A warning as a line on stderr. */
export function renderWarning(program: string, message: string): string {
  return `${program}: warning: ${toOneLine(message)}\n`
}

/** What a person has to do, as a line on stderr. */
export function renderNotice(program: string, message: string): string {
  return `${program}: ${toOneLine(message)}\n`
}

/** A text as one line: a line break or an escape sequence in a name from a file or a server must not forge another line. */
export function toOneLine(text: string): string {
  return escapeControls(text.replace(/[\t-\r\x85\u2028\u2029]+/g, ' ')).trim()
}

/** The same, with the spaces that it begins with. */
export function toIndentedLine(text: string): string {
  return `${/^ */.exec(text)?.[0] ?? ''}${toOneLine(text)}`
}
