import type { Headers } from '../../contract/headers.ts'

/** What a client takes from stdout. In plain text, because this is the boundary of the process. */
export interface ReadOutput {
  readonly ok: true
  /** What is sent; of AWS keys the access key id with the session token, by which they differ from others. */
  readonly token: string
  /** Beside the token; of AWS keys the other secrets. */
  readonly headers: Headers
  /** When the output says that it ends, in epoch milliseconds, and where it does. */
  readonly end?: { readonly source: string; readonly at: number }
}

/** What a client reads from stdout, or why it takes nothing. The message does not repeat the output. */
export type ClientOutput = ReadOutput | { readonly ok: false; readonly message: string }

/** Why a client takes nothing from an output. */
export function refuseOutput(message: string): ClientOutput {
  return { ok: false, message }
}
