import { createHash } from 'node:crypto'
import { type FailureKind, HelperError } from '../../runtime/failure.ts'
import type { Host } from '../../runtime/host.ts'

/** Why a mint failed, for the runs that wait for the lock; they report the same words. */
export interface MintFailure {
  /** See {@link digestCaller}. */
  readonly callerFingerprint: string
  readonly kind: FailureKind
  readonly message: string
  readonly hint: string
}

/** Failures of the source. A deadline that has passed, or wrong usage, concerns one run alone. */
const sharedKinds: readonly FailureKind[] = ['not-configured', 'sign-in-required', 'refused', 'unavailable']

/** A failure as other runs may report it; `undefined` for one that concerns this run alone. */
export function toMintFailure(error: unknown, callerFingerprint: string): MintFailure | undefined {
  if (!(error instanceof HelperError) || !sharedKinds.includes(error.kind)) return undefined
  return { callerFingerprint, kind: error.kind, message: error.message, hint: error.hint }
}

/** The failure that another run reports. */
export function fromMintFailure({ kind, message, hint }: MintFailure): HelperError {
  return new HelperError(kind, message, hint)
}

/**
 * Distinguishes runs with the same key that may not fail alike: one may have another proxy, or a secret that was mistyped in the
 * other. The digest is too short to derive its input.
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
  const known = sharedKinds.find((own) => own === kind)
  return known && { callerFingerprint, kind: known, message, hint }
}
