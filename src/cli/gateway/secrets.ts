import type { Seed, SeededKey } from '../../gateway/seed.ts'

/** A seed as it is printed, once, with the secrets, which cannot be read again. */
export function revealSeed({ keys, attestationToken, ...rest }: Seed) {
  const { personal, unscoped, serviceAccount, workspace, administrative } = keys
  return {
    ...rest,
    keys: {
      personal: revealKey(personal),
      unscoped: revealKey(unscoped),
      serviceAccount: revealKey(serviceAccount),
      workspace: revealKey(workspace),
      administrative: revealKey(administrative),
    },
    attestationToken: attestationToken.reveal(),
  }
}

/** A new key as it is printed, once. */
export function revealKey({ id, secret }: SeededKey) {
  return { id, secret: secret.reveal() }
}
