import { clientHeaders } from '../../contract/client-headers.ts'
import type { OutputFormat } from '../../contract/formats/output-format.ts'
import type { Host } from '../../runtime/host.ts'
import type { SourceKind } from '../../runtime/outcome/source-kinds.ts'
import { vendor } from '../../vendor.ts'
import { version } from '../../version.ts'
import type { EntryLocation } from '../cache/directory.ts'
import type { TokenRequest } from '../mint/cached-call.ts'
import { toValues } from '../options/read-options.ts'
import type { ResolvedOptions } from '../options/resolve.ts'
import type { CommonOptions } from '../options/table.ts'
import { hasOutcomes } from '../outcome/has-outcomes.ts'
import { type CallMemo, memoLifeMs } from './call-memo.ts'
import { findHeaderOrigin } from './header-origin.ts'
import type { Observations, ObservedCall } from './observed-call.ts'
import { writeMemoFile } from './write-memo-file.ts'

/** The reads of a call, and where they may be kept for the next one. */
export interface Remembering {
  readonly observed: ObservedCall
  readonly location: EntryLocation
}

/** A call that has printed a token which is kept on disk. */
interface PrintedCall {
  readonly resolved: ResolvedOptions
  readonly key: string
  readonly request: TokenRequest
  readonly sourceKind: SourceKind | undefined
}

/**
 * Keeps what a call has read that was served from the cache, for the next one. A call that does more than print a token is not
 * remembered, such as one that writes a log.
 */
export async function writeCallMemo(
  host: Pick<Host, 'argv' | 'clock'>,
  printed: PrintedCall,
  { observed, location }: Remembering,
): Promise<void> {
  const observations = observed.find()
  const memo = observations && toMemo(host, printed, observations)
  if (memo) await writeMemoFile(location, memo)
}

/** Those that need nothing but the token and its headers. */
const rememberedFormats: readonly OutputFormat[] = ['json', 'token', 'headers']

function toMemo(
  { argv, clock }: Pick<Host, 'argv' | 'clock'>,
  { resolved, key, request, sourceKind }: PrintedCall,
  observations: Observations,
): CallMemo | undefined {
  const { format, ...options } = toValues<CommonOptions>(resolved)
  const header = resolved.get('header')
  const headers = header && findHeaderOrigin(header, argv)
  const isPlain = options['log-file'] === undefined && rememberedFormats.includes(format)
  if (!headers || !isPlain) return undefined
  const { clientTtlSec, renewEarly, notBefore } = request
  const made = clock.now()
  const times = { made, expiresAt: made + memoLifeMs }
  const limits = { clientTtlSec, renewEarly, clientTimeoutSec: options['client-timeout'], notBefore }
  const names = { contextVariable: vendor.contextVariable, ownHeaders: clientHeaders }
  const outcome = hasOutcomes(resolved) ? { helper: request.program, version, format, source: sourceKind } : undefined
  return {
    ...times,
    ...observations,
    ...limits,
    key,
    format,
    headers,
    allowHeader: options['allow-header'],
    outcome,
    names,
  }
}
