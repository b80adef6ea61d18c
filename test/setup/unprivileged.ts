/** Whether these tests have the rights of root: a machine's file is root's, and only root can become somebody else. */
export const isRoot = process.geteuid?.() === 0

/** The number of a user and group without rights of their own. */
export const nobody = 65_534
