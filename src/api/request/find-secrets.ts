import type { ApiCredential } from './connection.ts'

/** Names of headers and members whose values are secrets. */
const secretName = /token|secret|password|key|auth|cookie|credential|assertion/i

/** A header value of this many characters may be a secret whatever its name; a shorter one may be a plain word. */
const secretLength = 8

/** Everything in a request that must not be printed if the answer repeats it. */
export function findSecrets({ token, headers }: ApiCredential, body: string | undefined): string[] {
  const secretHeaders = Object.entries(headers).filter(
    ([name, value]) => isSecretName(name) || value.length >= secretLength,
  )
  return [token.reveal(), ...secretHeaders.map(([, value]) => value), ...findSecretMembers(parse(body ?? 'null'))]
}

/** Whether the value of a header or member with this name must not be printed. */
export function isSecretName(name: string): boolean {
  return secretName.test(name)
}

function findSecretMembers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (isSecretName(name) ? [member] : []) : findSecretMembers(member),
  )
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined // not JSON: the API will refuse it
  }
}
