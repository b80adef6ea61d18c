import { clientDefaults, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { HelperScriptCredential, Inference } from '../document.ts'

/** The answers from which a new document is created. */
export interface InitAnswers {
  readonly baseUrl: string
  /** The absolute path of the helper on macOS and Linux. */
  readonly command?: string
  readonly commandWindows?: string
  readonly args?: readonly string[]
  /** The longest life of the helper's tokens, in seconds; absent if it is not known. */
  readonly tokenLifeSec?: number
  /** The client's ttl in seconds; absent: one that suits the life. */
  readonly ttlSec?: number
  /** In seconds: how long the client waits; absent: its default. */
  readonly timeoutSec?: number
}

/**
 * Creates a document that runs a helper, with a ttl that suits its tokens. The client's defaults are left out. Any other ttl or timeout is
 * passed to the helper too.
 */
export function createDocument(answers: InitAnswers): HelperDocument {
  const { baseUrl, command, commandWindows, args, ttlSec = chooseTtlSec(answers.tokenLifeSec), timeoutSec } = answers
  const ttlArgs = ttlSec === clientDefaults.ttlSec ? [] : ['--client-ttl', String(ttlSec)]
  const timeoutArgs = timeoutSec === undefined ? [] : ['--client-timeout', String(timeoutSec)]
  const allArgs = [...(args ?? []), ...ttlArgs, ...timeoutArgs]
  const credential: HelperScriptCredential = {
    kind: 'helper-script',
    ...(command && { command }),
    ...(commandWindows && { commandWindows }),
    ...(allArgs.length > 0 && { args: allArgs }),
    ...(ttlSec !== clientDefaults.ttlSec && { ttlSec }),
    ...(timeoutSec !== undefined && { timeoutSec }),
  }
  return { inference: { provider: 'gateway', baseUrl, credential } }
}

interface HelperDocument {
  readonly inference: Inference & { readonly credential: HelperScriptCredential }
}

/**
 * Chooses the ttl for tokens of this life, in seconds: half the life, so that a helper can serve each token twice, but not so short that
 * the client skips its check before every turn, unless the life itself is that short.
 */
export function chooseTtlSec(tokenLifeSec: number | undefined): number {
  if (tokenLifeSec === undefined) return clientDefaults.ttlSec
  const half = Math.max(1, Math.floor(tokenLifeSec / 2))
  const checked = Math.min(perTurnCheckAboveTtlSec + 1, tokenLifeSec)
  return Math.min(clientDefaults.ttlSec, Math.max(half, checked))
}
