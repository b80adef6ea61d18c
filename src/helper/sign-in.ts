import { describeMoment } from '../runtime/values/duration.ts'

/** A sign-in that a helper can perform for the plan of one run. */
export interface SignIn {
  /** Whether a person is signed in. The source may still refuse that sign-in. */
  isDone(): Promise<boolean>
  /**
   * Waits for a new sign-in: joins one that is under way, or starts one in a process that outlives this run.
   * @returns when it was completed, in milliseconds since the epoch.
   * @throws {HelperError} `late` at the deadline of the run, which the sign-in outlives; or the sign-in's own failure.
   */
  complete(): Promise<number>
  /**
   * Signs a person in within this process, for the command `sign-in` and for the separate process of {@link complete}.
   * @returns whether a person waits for this process, and should read how the sign-in ended.
   */
  perform(): Promise<{ readonly isWatched: boolean }>
}

/** A person's sign-in, as far as this machine's files tell, without anything secret. */
export interface SignInState {
  /** The service that the person signs in to, as messages name it, such as `login.example`. */
  readonly subject: string
  /** The purpose of the sign-in, for messages, such as `the client gatepass`. */
  readonly purpose?: string | undefined
  /** Absent if nobody is signed in. */
  readonly session?: SignInSession | undefined
  /** Why an earlier sign-in is no longer valid. */
  readonly ended?: string | undefined
}

/** A valid sign-in. Times are milliseconds since the epoch. */
export interface SignInSession {
  /** The person's account, for people; `undefined` if no file states it. */
  readonly account: string | undefined
  readonly since?: number | undefined
  /** The part of the sign-in that expires first, such as `the ID token`. */
  readonly what: string
  /** `undefined` if no file states it. */
  readonly endsAt: number | undefined
  readonly renewal: Renewal
  /**
   * Something that the provider did not grant as requested: the problem, and in the imperative how to change it. The person is told once.
   */
  readonly shortcoming?: { readonly what: string; readonly way: string } | undefined
}

/** How a sign-in continues when its first part expires. */
export interface Renewal {
  readonly isSilent: boolean
  /** The end of a sentence: `without a person, …` or `by a person, because …`. */
  readonly how: string
}

/** The result of signing out. */
export interface SignOut {
  /** See {@link SignInState}. */
  readonly subject: string
  readonly wasSignedIn: boolean
  /** Whether a sign-in was under way, and has been ended. */
  readonly wasUnderWay: boolean
}

/** Renders the line that a person reads after signing in. */
export function describeSignedIn({ subject, purpose, session }: SignInState, now: number): string {
  const as = session?.account === undefined ? '' : ` as ${session.account}`
  const until = session?.endsAt === undefined ? '' : `, until ${describeMoment(session.endsAt, now)}`
  const renewed = session?.renewal.isSilent ? ', and renewed without a person' : ''
  return `signed in to ${subject}${as}${purpose === undefined ? '' : `, for ${purpose}`}${until}${renewed}`
}
