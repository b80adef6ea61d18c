import { vendor } from '../vendor.ts'

/** Whether a header carries a credential: by a name that says so, or by a value that begins as credentials do. */
export function carriesCredential(name: string, value: string): boolean {
  if (/(^|[-_])(api[-_]?key|secret|password|(access|auth|bearer|id)[-_]?token|subscription-key)$/i.test(name))
    return true
  return (
    /^\s*(bearer|basic)\s+\S/i.test(value) ||
    value.trimStart().startsWith(vendor.keyPrefix) ||
    /^\s*eyJ[\w-]+\./.test(value)
  )
}
