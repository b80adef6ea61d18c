/** The first argument with which a program starts itself again, to call the system's keychain in a process that can be killed. */
export const keychainChildCommand = 'keychain-child'
