/**
 * What went wrong on a bus. `absent`: nobody listens; `rejected`: it does not admit this user; `broken`: what it sent is no
 * D-Bus, or too much; `closed`: it ended the connection; `anonymous`: any user
 * could listen there; `hung`: it does not answer in time; `answer`: a method answered with an
 * error.
 */
export type BusProblem = 'absent' | 'rejected' | 'anonymous' | 'broken' | 'closed' | 'hung' | 'answer'

/** A failure of a bus or of a program on it; the message is a sentence with "it" as its subject. */
export class BusError extends Error {
  readonly problem: BusProblem
  /** The name of the error that a method answered, such as `org.freedesktop.DBus.Error.AccessDenied`. */
  readonly errorName: string

  constructor(problem: BusProblem, message: string, errorName = '') {
    super(message)
    this.name = 'BusError'
    this.problem = problem
    this.errorName = errorName
  }
}
