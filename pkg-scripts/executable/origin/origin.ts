// Folder: whether a runtime is the program that the Node.js project has published, by its signatures and digests.

import { hash } from 'node:crypto'
import { HelperError } from '../../../src/runtime/failure.ts'
import { isWindows, type Runtime } from '../runtimes.ts'
import { appleSigner, verifyAppleSignature } from './apple-signature.ts'
import { verifyAuthenticode, windowsSigner } from './authenticode.ts'
import { findPublishedSigner, keptPlace, nodeDownloads } from './published-sums.ts'
import type { Signer } from './signed-message.ts'

/** One kind of evidence for a program's origin, and its result. */
export interface OriginCheck {
  readonly evidence: 'Authenticode' | 'Apple code signature' | 'SHASUMS256.txt.asc'
  /** Whether the evidence exists. Invalid evidence is refused. */
  readonly result: 'valid' | 'absent'
  /** One line: the signer and the parts that the signature covers, or the reason why there is no signature. */
  readonly says: string
}

/**
 * Verifies the signature of a Windows or macOS program before it is changed.
 * @throws HelperError if it is invalid or missing.
 */
export async function checkSignature(runtime: Runtime, program: Buffer): Promise<RuntimeOrigin> {
  const signatures = await requireOrigin(runtime, () => verifySignature(runtime, program))
  return { sha256: hash('sha256', program), signatures }
}

/** An unpacked program: its digest (SHA-256), and the result of its own signature. */
interface RuntimeOrigin {
  readonly sha256: string
  readonly signatures: readonly OriginCheck[]
}

/**
 * Collects all evidence for a program's origin: its signature, and the digests that Node.js publishes.
 * @throws HelperError if its digest differs from the published one.
 */
export async function checkOrigin(runtime: Runtime, { sha256, signatures }: RuntimeOrigin): Promise<OriginCheck[]> {
  const key = await requireOrigin(runtime, () => findPublishedSigner(runtime, sha256, keptPlace))
  return [...signatures, describePublished(key, runtime)]
}

/** Adds the runtime and the way out to an error of a check. */
export async function requireOrigin<Value>(runtime: Runtime, check: () => Promise<Value>): Promise<Value> {
  const { target, packageName, version } = runtime
  return check().catch((cause: Error) => {
    throw new HelperError(
      'refused',
      `the runtime for ${target} in ${packageName}@${version} cannot be shown to be Node's own: ${cause.message}`,
      `compare it with ${nodeDownloads}/v${version}/, and do not build with it before you know why it differs`,
      { cause },
    )
  })
}

/** Describes the outcome of a comparison with what Node.js publishes. */
function describePublished(key: string | undefined, { version }: Pick<Runtime, 'version'>): OriginCheck {
  const evidence = 'SHASUMS256.txt.asc'
  if (key !== undefined)
    return {
      evidence,
      result: 'valid',
      says: `the same bytes as in Node.js v${version}, whose digests the key ${key} has signed`,
    }
  const says = `not compared: nothing is kept of v${version}; run npm run runtimes -- --fetch where nodejs.org can be reached`
  return { evidence, result: 'absent', says }
}

async function verifySignature({ target }: Runtime, program: Buffer): Promise<OriginCheck[]> {
  if (isWindows(target)) {
    const signer = await verifyAuthenticode(program, windowsSigner)
    return [
      {
        evidence: 'Authenticode',
        result: 'valid',
        says: describe(windowsSigner.organization, signer, windowsSigner.root),
      },
    ]
  }
  if (target.startsWith('darwin-')) {
    const signer = await verifyAppleSignature(program, appleSigner)
    const team = `the team ${appleSigner.teamIdentifier}`
    return [{ evidence: 'Apple code signature', result: 'valid', says: describe(team, signer, appleSigner.root) }]
  }
  return []
}

function describe(who: string, { signedAt }: Signer, { name }: { name: string }): string {
  return `the whole program, signed by ${who} at ${signedAt.toISOString().slice(0, 19)}Z; the chain ends at ${name}`
}
