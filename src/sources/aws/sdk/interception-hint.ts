/** What to do where an answer cannot come from AWS: something between this machine and AWS has answered instead. */
export const interceptionHint = 'find out what answers instead of AWS: a sign-in page of the network, or a proxy'
