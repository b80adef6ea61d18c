/**
 * Holds the profile's name in the environment of its `credential_process`, so that a helper of ours that is started there,
 * directly or through a script, can name the cycle.
 */
export const credentialProcessVariable = 'GATEPASS_CREDENTIAL_PROCESS_OF'

/** Part of that helper's message. The helper that started it recognizes the cycle by it, whatever script lies between. */
export const cycleNotice = 'is a credential helper, which would ask that profile again'
