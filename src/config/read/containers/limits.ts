/** The largest document that is read, in bytes; our decision. */
export const maxBytes = 5 * 1024 * 1024
