import { vendor } from '../vendor.ts'

/** A name of a policy, category or string: letters, digits and underscores. */
export function toItemName(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]/gu, '_')
}

/** The vendor as a part of names and paths, where only ASCII is safe. */
export const vendorItem: string = vendor.name.replace(/[^A-Za-z0-9]/g, '') || 'Client'

/** The category of all policies. */
export const categoryName = `${vendorItem}Desktop`
