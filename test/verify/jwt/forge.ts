import { goodClaims } from './issuer.ts'

/** Makes a token of any header, claims and signature, as no library would. */
export function forge(header: unknown, claims: unknown, sign: (input: Buffer) => Uint8Array): string {
  const input = `${encode(header)}.${encode(claims)}`
  return `${input}.${Buffer.from(sign(Buffer.from(input))).toString('base64url')}`
}

/** Returns the same with claims that are good. */
export function forgeGood(header: unknown, sign: (input: Buffer) => Uint8Array): string {
  return forge(header, goodClaims, sign)
}

function encode(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
}
