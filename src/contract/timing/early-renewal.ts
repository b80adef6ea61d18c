/** How an early renewal differs from another mint: the call can do without it. Our decisions. */
export const earlyRenewal = {
  /** How long a call waits for it, in seconds, as for a sign-in to AWS SSO. */
  patienceSec: 5,
  /** In milliseconds: one that came to nothing is not tried again before. */
  pauseMs: 300_000,
} as const
