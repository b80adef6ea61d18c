import { clientDefaults, perTurnCheckAboveTtlSec } from '../../contract/limits.ts'
import type { ConfigDocument, HelperScriptCredential } from '../document.ts'

export interface InitAnswers {
  readonly baseUrl: string
  /** Absolute path on macOS and Linux. */
  readonly command?: string
  readonly commandWindows?: string
  readonly args?: readonly string[]
  /** The longest that the helper's tokens can live; absent: nobody knows. */
  readonly tokenLifeSec?: number
}

/**
 * A document that runs a helper, with a ttl that suits its tokens. Values that are the client's defaults are left out;
 * of another ttl the helper is told too.
 */
export function createDocument({ baseUrl, command, commandWindows, args, tokenLifeSec }: InitAnswers): ConfigDocument {
  const ttlSec = chooseTtlSec(tokenLifeSec)
  const told = ttlSec === clientDefaults.ttlSec ? [] : ['--client-ttl', String(ttlSec)]
  const allArgs = [...(args ?? []), ...told]
  const credential: HelperScriptCredential = {
    kind: 'helper-script',
    ...(command && { command }),
    ...(commandWindows && { commandWindows }),
    ...(allArgs.length > 0 && { args: allArgs }),
    ...(ttlSec !== clientDefaults.ttlSec && { ttlSec }),
  }
  return { inference: { provider: 'gateway', baseUrl, credential } }
}

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
