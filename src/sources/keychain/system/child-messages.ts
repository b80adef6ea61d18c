// Holds the messages between a run and the child that calls the keychain.

import { parseObject } from '../../../runtime/values/json-value.ts'
import type { KeychainItem, KeychainPrompt } from '../keychain.ts'

/** The request to a child, over its stdin. */
export interface ChildRequest {
  readonly operation: 'read' | 'write' | 'remove'
  readonly item: KeychainItem
  readonly prompt: KeychainPrompt
  /** The child ends itself after this many seconds, even if no process is left to end it. */
  readonly limitSec: number
  /** The secret to store, for `write` only. */
  readonly secret?: string
  /** On Windows, the encrypted secret of a session without Credential Manager, in base64. */
  readonly sealed?: string
}

/** A failed call of the system, with the facts that explain it. */
export interface SystemFailure {
  readonly call: string
  /** The system's own code: an `OSStatus` of macOS, an error of Windows. */
  readonly code: number
  /** On macOS, the state of the default keychain. */
  readonly keychain?: 'locked' | 'unlocked' | 'missing' | undefined
  /** On macOS, whether the session has a desktop on which a dialog could be shown. */
  readonly session?: 'desktop' | 'headless' | undefined
}

/** The answer of a child, on its stdout. */
export type ChildAnswer =
  | { readonly state: 'found'; readonly secret: string }
  /** The item does not exist. */
  | { readonly state: 'none' }
  /** The item was written, or removed. */
  | { readonly state: 'done' }
  /** There is no Credential Manager. `sealed` is the encrypted secret in base64, for a file. */
  | { readonly state: 'sealed'; readonly sealed: string }
  /** The child was not started by the program that it belongs to. */
  | { readonly state: 'stranger' }
  | ({ readonly state: 'failed' } & SystemFailure)

/** Parses a request; `undefined` if the text is not a request. */
export function parseRequest(text: string): ChildRequest | undefined {
  const { operation, item, prompt, limitSec, secret, sealed } = parseObject(text) ?? {}
  const names = parseItem(item)
  if (operation !== 'read' && operation !== 'write' && operation !== 'remove') return undefined
  if (names === undefined || typeof limitSec !== 'number' || (operation === 'write') !== (typeof secret === 'string'))
    return undefined
  return {
    operation,
    item: names,
    prompt: prompt === 'allowed' ? 'allowed' : 'never',
    limitSec,
    ...(typeof secret === 'string' && { secret }),
    ...(typeof sealed === 'string' && { sealed }),
  }
}

function parseItem(item: unknown): KeychainItem | undefined {
  const { service, account, label } = (item ?? {}) as Readonly<Record<string, unknown>> // each member is validated here
  if (typeof service !== 'string' || typeof account !== 'string' || typeof label !== 'string') return undefined
  return { service, account, label }
}

/** Parses an answer; `undefined` if the text is not an answer. */
export function parseAnswer(text: string): ChildAnswer | undefined {
  const { state, secret, sealed, call, code, keychain, session } = parseObject(text) ?? {}
  if (state === 'none' || state === 'done' || state === 'stranger') return { state }
  if (state === 'found' && typeof secret === 'string') return { state, secret }
  if (state === 'sealed' && typeof sealed === 'string') return { state, sealed }
  if (state !== 'failed' || typeof call !== 'string' || typeof code !== 'number') return undefined
  return {
    state,
    call,
    code,
    keychain: keychain === 'locked' || keychain === 'unlocked' || keychain === 'missing' ? keychain : undefined,
    session: session === 'desktop' || session === 'headless' ? session : undefined,
  }
}

/** In bytes: far more than any request or answer. Our decision. */
export const longestMessageBytes = 4 * 1024 * 1024

/** Codes of `winerror.h`: `ERROR_INVALID_PARAMETER` and `ERROR_NO_SUCH_LOGON_SESSION`. */
export const windowsCodes = { invalidParameter: 87, noSuchLogonSession: 1312 } as const

/** `CRED_MAX_CREDENTIAL_BLOB_SIZE` of `wincred.h`. */
export const longestSecretBytes = 2560
