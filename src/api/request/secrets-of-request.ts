import type { ApiCredential } from './connection.ts'

/** Names of headers and members whose values are secrets. */
const secretName = /token|secret|password|key|auth|cookie|credential|assertion/i

/** Long enough that a value is hardly a plain word. */
const wordLength = 8

/** Everything in a request that its answer, should it be repeated there, must not bring to a terminal. */
export function secretsOfRequest({ token, headers }: ApiCredential, body: string | undefined): string[] {
  const beside = Object.entries(headers).filter(([name, value]) => isSecretName(name) || value.length >= wordLength)
  return [token.reveal(), ...beside.map(([, value]) => value), ...findSecretMembers(parse(body ?? 'null'))]
}

/** Whether a header is not to be shown. */
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
    return undefined // the API refuses it
  }
}
