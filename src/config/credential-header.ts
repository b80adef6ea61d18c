import { vendor } from '../vendor.ts'

/** Whether a header carries a credential, by its name or by the beginning of its value. */
export function isCredentialHeader(name: string, value: string): boolean {
  if (/(^|[-_])(api[-_]?key|secret|password|(access|auth|bearer|id)[-_]?token|subscription-key)$/i.test(name))
    return true
  return (
    /^\s*(bearer|basic)\s+\S/i.test(value) ||
    value.trimStart().startsWith(vendor.keyPrefix) ||
    /^\s*eyJ[\w-]+\./.test(value)
  )
}
