/** The command's name, in messages and scripts. */
export const programName = 'gatepass'
