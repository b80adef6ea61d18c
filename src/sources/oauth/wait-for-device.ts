import type { Clock, Deadline } from '../../runtime/deadline.ts'
import type { Secret } from '../../runtime/secret.ts'

/** A device code, and what a person does with it (RFC 8628, section 3.2). */
export interface DeviceCode {
  readonly deviceCode: Secret
  readonly userCode: string
  /** The address to open, with the code if the provider offers that. */
  readonly address: string
  /** When the code expires, in milliseconds since the epoch. */
  readonly expiresAt: number
  readonly intervalSec: number
}

/** In seconds: the interval of a provider that states none (RFC 8628, section 3.2). */
export const usualIntervalSec = 5

/** The seconds by which the interval grows each time (RFC 8628, section 3.5). */
export const slowDownSec = 5

/** Polls until the code is confirmed; returns `expired` if nobody confirmed it. */
export async function waitForDevice<T>(wait: DeviceWait<T>): Promise<T | 'expired'> {
  const { deadline, clock, expiresAt } = wait
  let { intervalSec } = wait
  while (clock.now() < expiresAt) {
    await deadline.pause('sign-in', 'the sign-in in a browser', intervalSec * 1000)
    const polled = await wait.poll()
    if (polled !== 'pending' && polled !== 'slow down') return polled
    if (polled === 'slow down') intervalSec += slowDownSec
  }
  return 'expired'
}

/** A wait for a person who confirms a device code in any browser (RFC 8628). */
interface DeviceWait<T> {
  readonly deadline: Deadline
  readonly clock: Pick<Clock, 'now'>
  readonly intervalSec: number
  /** See {@link DeviceCode}. */
  readonly expiresAt: number
  /** Polls the provider once. A network failure counts as `pending`, so that it does not end a wait of minutes. */
  poll(): Promise<T | 'pending' | 'slow down'>
}
