import { vendor } from '../vendor.ts'

/** The first line of a registry file, as `reg export` writes it. */
export const registryHeader = 'Windows Registry Editor Version 5.00'

/** The policy key of the machine hive, which clients read first. */
export const machinePolicyKey = `HKEY_LOCAL_MACHINE\\${vendor.windowsPolicyKey}`

/** The policy key of the user hive, which clients read while the machine hive has no value. */
export const userPolicyKey = `HKEY_CURRENT_USER\\${vendor.windowsPolicyKey}`

/** Converts a text to the name of a policy, category or string: letters, digits and underscores. */
export function toItemName(text: string): string {
  return text.replace(/[^\p{L}\p{N}_]/gu, '_')
}

/** The vendor as a part of names and paths, where only ASCII is safe. */
export const vendorItem: string = vendor.name.replace(/[^A-Za-z0-9]/g, '') || 'Client'

/** The category that contains all policies in the editor of an administrator. */
export const categoryName = `${vendorItem}Desktop`
