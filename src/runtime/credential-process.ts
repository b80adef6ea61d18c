/**
 * Set in the environment of a profile's `credential_process`, with the profile's name, so that a helper of ours that is
 * started there, directly or through a script, can name the cycle.
 */
export const credentialProcessVariable = 'GATEPASS_CREDENTIAL_PROCESS_OF'

/** What such a helper says, by which the one that started it recognizes the cycle, whatever script lies between. */
export const cycleNotice = 'is a credential helper, which would ask that profile again'
