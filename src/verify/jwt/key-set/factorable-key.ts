import type { KeyObject } from 'node:crypto'

/**
 * Whether an RSA key has the mark of a library whose primes can be found (CVE-2017-15361): modulo each of these primes, its modulus
 * is a power of 65537. Of other keys, one in two hundred million has it.
 */
export function isFactorable(key: KeyObject): boolean {
  const { n = '' } = key.export({ format: 'jwk' })
  const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`)
  return primes.every((prime) => listPowers(prime).includes(Number(modulus % BigInt(prime))))
}

/** Those modulo which 65537 does not give every number. */
const primes = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]

function listPowers(prime: number): number[] {
  const powers = [1]
  for (;;) {
    const next = (powers.at(-1)! * 65_537) % prime
    if (next === 1) return powers
    powers.push(next)
  }
}
