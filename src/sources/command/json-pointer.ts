import { findMember } from '../../runtime/values/json-value.ts'

/** Returns whether a text is a JSON pointer (RFC 6901, section 3). */
export function isJsonPointer(text: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(text)
}

/** Finds the value at a JSON pointer (RFC 6901, section 4); `undefined` if there is none. */
export function findByPointer(document: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce<unknown>(findChild, document)
}

function findChild(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return /^(?:0|[1-9]\d*)$/.test(name) ? value[Number(name)] : undefined
  return findMember(value, name)
}
