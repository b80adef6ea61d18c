/**
 * The first argument with which one of our programs starts itself again, to ask the system's keychain in a process that can be
 * ended.
 */
export const keychainChildCommand = 'keychain-child'
