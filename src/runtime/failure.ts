/** Every way in which a program of ours can fail, and the exit status that its caller sees. */
export const exitStatus = {
  bug: 1,
  usage: 2,
  'not-configured': 3,
  'sign-in-required': 4,
  refused: 5,
  unavailable: 6,
  late: 7,
} as const

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
 * Anything thrown, as a failure. What we did not foresee is a `bug`, of which only the error's name is told: its
 * message may repeat data.
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

/** Texts carry names from files and servers: a line break or an escape sequence in one must not forge a line. */
export function toOneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029]+/g, ' ').trim()
}
