/** A sign-in of a person that a helper can do itself, for what one run would use. */
export interface SignIn {
  /** Whether there is one already. A source may refuse it all the same. */
  isDone(): Promise<boolean>
  /**
   * Waits for a new one: joins what is under way, or starts it in a process that outlives this run.
   * @returns since when it is done, in milliseconds since the epoch.
   * @throws {HelperError} `late` at the deadline of the run, which the sign-in outlives; or how it ended.
   */
  complete(): Promise<number>
  /** Signs in as the command of a person does, and as the process of its own does. */
  perform(): Promise<void>
}

/** What became of a sign-in that a person wanted to end. */
export interface SignOut {
  /** To what, as messages name it, such as `login.example`. */
  readonly subject: string
  readonly wasSignedIn: boolean
}
