import { vendor } from '../vendor.ts'

/** The first line of a registry file, as `reg export` writes it. */
export const registryHeader = 'Windows Registry Editor Version 5.00'

/** The policy key of the machine hive, which clients read first. */
export const machinePolicyKey = `HKEY_LOCAL_MACHINE\\${vendor.windowsPolicyKey}`

/** The policy key of the user hive, which clients read while the machine hive has no value. */
export const userPolicyKey = `HKEY_CURRENT_USER\\${vendor.windowsPolicyKey}`
