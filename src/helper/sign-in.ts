import { describeMoment } from '../runtime/values/duration.ts'

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
  /**
   * Signs in as the command of a person does, and as the process of its own does.
   * @returns whether a person waits for it, who is told how it ended.
   */
  perform(): Promise<{ readonly isWatched: boolean }>
}

/** A person's sign-in, as far as this machine's files tell, without anything secret. */
export interface SignInState {
  /** The service that the person signs in to, as messages name it, such as `login.example`. */
  readonly subject: string
  /** The purpose of the sign-in, such as `the client gatepass`. */
  readonly purpose?: string | undefined
  /** Absent where nobody is signed in. */
  readonly session?: SignInSession | undefined
  /** The reason why an earlier sign-in is no longer valid. */
  readonly ended?: string | undefined
}

/** A sign-in that lasts. Times are milliseconds since the epoch. */
export interface SignInSession {
  /** The person's account, for people; `undefined` if no file states it. */
  readonly account: string | undefined
  readonly since?: number | undefined
  /** The part of it that ends first: `the ID token`. */
  readonly what: string
  /** `undefined` where nobody knows. */
  readonly endsAt: number | undefined
  readonly renewal: Renewal
  /** A part that is not as it was asked for: what is wrong, and how to change it, in the imperative. The person is told once. */
  readonly shortcoming?: { readonly what: string; readonly way: string } | undefined
}

/** How a sign-in continues when its first part ends. */
export interface Renewal {
  readonly isSilent: boolean
  /** The rest of a sentence: `without a person, …` or `by a person, because …`. */
  readonly how: string
}

/** The result of a person's wish to end a sign-in. */
export interface SignOut {
  /** The service that the person signs in to, as messages name it, such as `login.example`. */
  readonly subject: string
  readonly wasSignedIn: boolean
  /** Whether somebody was about to sign in, which was ended. */
  readonly wasUnderWay: boolean
}

/** The one line that a person reads who has signed in. */
export function describeSignedIn({ subject, purpose, session }: SignInState, now: number): string {
  const as = session?.account === undefined ? '' : ` as ${session.account}`
  const until = session?.endsAt === undefined ? '' : `, until ${describeMoment(session.endsAt, now)}`
  const renewed = session?.renewal.isSilent ? ', and renewed without a person' : ''
  return `signed in to ${subject}${as}${purpose === undefined ? '' : `, for ${purpose}`}${until}${renewed}`
}
