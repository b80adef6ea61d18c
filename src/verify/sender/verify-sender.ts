import { createMemoryReplayStore, type ReplayStore } from '../replay/memory-replay-store.ts'
import { type Identity, type TokenBinding, TokenRefusal } from '../verdict.ts'
import {
  type ParsedProof,
  parseDpopProof,
  proofAgeSec,
  proofChecks,
  type SenderProblem,
  toProofUse,
} from './dpop-proof.ts'
import type { SenderFacts, TokenSender } from './sender-facts.ts'

/** Returns whether the sender of a token must prove possession. */
export function isProofRequired({ binding }: Identity, { scheme }: TokenSender): boolean {
  return binding !== undefined || scheme === 'DPoP'
}

/**
 * Checks in this order whether the sender of a token has the certificate (RFC 8705) or the key (RFC 9449) to which the token is bound.
 * @throws {TokenRefusal} for the first check that fails. The caller gets the detail, because the token's signature is valid.
 */
export async function verifySender(
  token: string,
  { binding = {} }: Pick<Identity, 'binding'>,
  sender: TokenSender,
  { now, proofs }: SenderContext,
): Promise<void> {
  const facts = sender.read()
  if (binding.certificate !== undefined) refuse(examineCertificate(binding.certificate, facts))
  if (binding.key === undefined && sender.scheme === 'Bearer') return
  refuse(examineScheme(binding, sender))
  const proof = parseDpopProof(facts.proofs)
  if ('problem' in proof) return refuse({ reason: 'proof', note: proof.problem })
  for (const examine of Object.values(proofChecks))
    refuse(await examine({ proof, facts, now, token, key: binding.key }))
  await refuseUsed(proof, proofs)
}

/** The parts that {@link verifySender} needs. */
interface SenderContext {
  /** Epoch milliseconds. */
  readonly now: number
  /** The record of used proofs. */
  readonly proofs: ReplayStore
}

/** The client certificate must have the digest in the token (RFC 8705, section 3). */
function examineCertificate(bound: string, { certificate }: SenderFacts): SenderProblem | undefined {
  if (certificate === bound) return undefined
  const note =
    certificate === undefined
      ? 'it is bound to a client certificate, and the gateway passes none on'
      : 'it is bound to another client certificate than that of the connection'
  return { reason: 'certificate', note }
}

function refuse(problem: SenderProblem | undefined): void {
  if (problem) throw new TokenRefusal(problem.reason, { detail: problem.note, note: problem.note })
}

/** A token that is bound to a key must be sent with the scheme DPoP, and no other token may be (RFC 9449, sections 7.1 and 7.2). */
function examineScheme({ key }: TokenBinding, { scheme }: TokenSender): SenderProblem | undefined {
  if (key === undefined)
    return { reason: 'key-binding', note: 'it is bound to no key, and was sent with the scheme DPoP' }
  if (scheme === 'DPoP') return undefined
  return { reason: 'key-binding', note: 'it is bound to a key, and has to be sent with the scheme DPoP' }
}

/** A proof may be used only once (RFC 9449, section 11.1). */
async function refuseUsed(proof: ParsedProof, proofs: ReplayStore): Promise<void> {
  const { digest, until } = toProofUse(proof)
  if ((await proofs.use(digest, until)) === 'again') throw new TokenRefusal('proof-replayed')
}

/**
 * Creates a record of the proofs of this process, separate from that of single-use tokens, so that neither displaces the other. A proof is
 * recorded for twice as long as it is accepted, in case the clock is set back.
 */
export function createProofMemory(parts: { readonly now: () => number; readonly entries: number }): ReplayStore {
  return createMemoryReplayStore({ ...parts, outliveMs: proofAgeSec * 1000 })
}
