import { clientDefaults, perTurnCheckAboveTtlSec } from '../contract/limits.ts'
import type { ConfigDocument, HelperScriptCredential } from './document.ts'

export interface InitAnswers {
  readonly baseUrl: string
  /** Absolute path on macOS and Linux. */
  readonly command?: string
  readonly commandWindows?: string
  readonly args?: readonly string[]
  /** The longest that the helper's tokens can live; absent: nobody knows. */
  readonly tokenLifeSec?: number
  /** Whether the helper may open a browser and wait for a person. */
  readonly signIn: 'browser' | 'never'
}

/** A document that runs a helper, with times that suit it. Values that are the client's defaults are left out. */
export function initDocument(answers: InitAnswers): ConfigDocument {
  const { baseUrl, command, commandWindows, args, tokenLifeSec, signIn } = answers
  const ttlSec = chooseTtlSec(tokenLifeSec)
  const credential: HelperScriptCredential = {
    kind: 'helper-script',
    ...(command && { command }),
    ...(commandWindows && { commandWindows }),
    ...(args && args.length > 0 && { args }),
    ...(ttlSec !== clientDefaults.ttlSec && { ttlSec }),
    ...(signIn === 'browser' && { timeoutSec: signInTimeoutSec }),
  }
  return { inference: { provider: 'gateway', baseUrl, credential } }
}

/** A password, a second factor and a slow page. Our decision. */
const signInTimeoutSec = 180

/**
 * Half a token's life, so that a helper can serve each token twice, but never so little that the client stops checking
 * before every turn while the token allows more.
 */
export function chooseTtlSec(tokenLifeSec: number | undefined): number {
  if (tokenLifeSec === undefined) return clientDefaults.ttlSec
  const half = Math.max(1, Math.floor(tokenLifeSec / 2))
  const checked = Math.min(perTurnCheckAboveTtlSec + 1, tokenLifeSec)
  return Math.min(clientDefaults.ttlSec, Math.max(half, checked))
}
