/**
 * How often a request is sent at most, the first time included: for everything that is fetched. It is the default of the AWS
 * SDKs too.
 */
const maxAttempts = 3

/** Whether a request may be sent once more after so many attempts. */
export function hasAttemptLeft(attempts: number): boolean {
  return attempts < maxAttempts
}

/**
 * How long to wait before the next attempt, in milliseconds: what the other side said, otherwise longer after each attempt and
 * of random length, so that many clients do not retry at the same moment.
 * @param attempts How many there were.
 * @param random At least 0, below 1.
 */
export function computeRetryPauseMs(saidMs: number | undefined, attempts: number, random: number): number {
  return saidMs ?? random * 200 * 2 ** attempts
}

/** Whether the next attempt would begin before the call has to end. */
export function isPauseInTime(pauseMs: number, remainingMs: number): boolean {
  return pauseMs < remainingMs
}
