/** The name of the executable that holds every helper. */
export const suiteName = 'gatepass-helpers'
