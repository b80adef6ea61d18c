/** What entries of system logs are found by: the identifier in journal and syslog, the source in the Event Log. */
export const logName = 'gatepass'
