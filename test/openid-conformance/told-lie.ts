import type { Lies } from '../stand-ins/lying-provider/lies.ts'
import type { SignInWays } from './sign-in-desk.ts'

/** How a sign-in fails: kind, message and hint. */
export type Told = readonly [kind: string, message: string, hint: string]

/** One lie, and what the person is told. */
export interface ToldLie extends SignInWays {
  readonly lies: Lies
  /** Without it the sign-in succeeds: what is told is no lie, or none of our business. */
  readonly says?: Told
  /** The requests to the provider, if they differ from those to an honest provider. */
  readonly asked?: string
  readonly kept?: 'without the refresh token' | 'with the next refresh token'
  /** The warning of a sign-out, if it gives one. */
  readonly warning?: string
}

/** Named for what a test says of them. */
export type ToldLies = Readonly<Record<string, ToldLie>>

/** Each lie as a row of a table, after what the client does with it. */
export function toRows(lies: ToldLies): [outcome: 'fails' | 'succeeds', name: string, lie: ToldLie][] {
  return Object.entries(lies).map(([name, lie]) => [lie.says ? 'fails' : 'succeeds', name, lie])
}

export const ask = 'report this to whoever runs PROVIDER'
export const again = 'start again; if that happens once more, report this to whoever runs the provider'
export const anew = 'start again, which begins a new sign-in'
export const intercepted =
  'find out what answers instead of the identity provider: a sign-in page of the network, or a proxy'

export const refused = (message: string, hint = ask): Told => ['refused', message, hint]
export const unavailable = (message: string, hint: string): Told => ['unavailable', message, hint]
export const unset = (message: string, hint: string): Told => ['not-configured', message, hint]
export const ended = (message: string, hint: string): Told => ['sign-in-required', message, hint]
export const late = (message: string): Told => ['late', message, 'start again']

/** Returns an answer that was lost, and the code with it. */
export const lost = (message: string): Told =>
  unavailable(`${message}; the code of the sign-in, which is valid once, is lost with that`, anew)
