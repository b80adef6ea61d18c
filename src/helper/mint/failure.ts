import { createHash } from 'node:crypto'
import { type FailureKind, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'

/** Why a mint came to nothing, for those who wait for their turn; what it says is what its own run says. */
export interface MintFailure {
  /** See {@link digestCaller}. */
  readonly callerFingerprint: string
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
}

/** What is the source's answer, or the lack of one. To be late, or wrong, is a run's own affair. */
const shared: readonly FailureKind[] = ['not-configured', 'sign-in-required', 'refused', 'unavailable']

/** A failure as the others may be told of it; `undefined` for one that is nobody else's. */
export function toMintFailure(error: unknown, callerFingerprint: string): MintFailure | undefined {
  if (!(error instanceof HelperError) || !shared.includes(error.kind)) return undefined
  return { callerFingerprint, kind: error.kind, message: error.message, hint: error.hint }
}

/** That failure, as that of whoever was told of it. */
export function fromMintFailure({ kind, message, hint }: MintFailure): HelperError {
  return new HelperError(kind, message, hint)
}

/**
 * Tells runs apart whose key is the same and who may all the same not fail alike: one may have another proxy, or the secret
 * that was mistyped in the other. A digest, too short to find out of what.
 */
export function digestCaller({ argv, env }: Pick<Host, 'argv' | 'env'>): string {
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))
  return createHash('sha256')
    .update(JSON.stringify([argv, variables]))
    .digest('hex')
    .slice(0, 8)
}

/** Reads what {@link toMintFailure} gave; `undefined` for anything else. */
export function parseMintFailure(value: unknown): MintFailure | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { callerFingerprint, kind, message, hint } = value as Record<string, unknown>
  if (typeof callerFingerprint !== 'string' || typeof message !== 'string' || typeof hint !== 'string') return undefined
  const known = shared.find((own) => own === kind)
  return known && { callerFingerprint, kind: known, message, hint }
}
