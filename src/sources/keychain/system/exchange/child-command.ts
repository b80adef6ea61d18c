/**
 * The first argument with which a program of ours starts itself once more, to ask the system's keychain in a process that can
 * be ended.
 */
export const keychainChildCommand = 'keychain-child'
