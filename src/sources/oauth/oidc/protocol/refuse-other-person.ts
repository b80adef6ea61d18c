import { HelperError } from '../../../../runtime/failure.ts'

type Claims = Readonly<Record<string, unknown>>

/**
 * Compares the ID token of a renewal with the one before (OpenID Connect Core, section 12.2).
 * @throws {HelperError} `refused` where it is about somebody else.
 */
export function refuseOtherPerson(before: Claims, after: Claims, name: string): void {
  const different = ['iss', 'sub', 'aud', 'nonce'].find((claim) => !isSame(claim, before[claim], after[claim]))
  if (different === undefined) return
  throw new HelperError(
    'refused',
    `${name} renewed the sign-in with an ID token that is not for the same person and client (${different})`,
    'sign in again; if that happens once more, ask who runs the provider',
  )
}

/** An audience may be a text or a list; the nonce of the sign-in may be left out later. */
function isSame(claim: string, before: unknown, after: unknown): boolean {
  if (claim === 'nonce') return before === undefined || after === undefined || before === after
  if (claim !== 'aud') return before === after
  const [one, other] = [new Set([before].flat()), new Set([after].flat())]
  return one.size === other.size && [...one].every((audience) => other.has(audience))
}
