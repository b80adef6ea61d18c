import { isIPv4, isIPv6 } from 'node:net'
import type { Policy } from './policy/policy.ts'
import { type RequestRate, renderRate } from './policy/request-rate.ts'
import { TokenRefusal } from './verdict.ts'

/** The bucket in which a caller's requests count: the rule's own if the rule has a rate, otherwise the policy's. */
export interface CallerLimit {
  /** A digest, so that it is short, and names nobody in Redis. */
  readonly key: string
  readonly rate: RequestRate
}

/** Limits requests by the policy in force. */
export interface RequestLimits {
  /** Counts a request of a caller, or refuses it if the bucket is empty. The other processes learn of the request later. */
  take(limit: CallerLimit): TokenRefusal | undefined
  /** Like `take`, but reads the count of the other processes first, within a bounded time. Without an answer, only this process counts. */
  takeShared(limit: CallerLimit): TokenRefusal | undefined | Promise<TokenRefusal | undefined>
  /** Refuses a request from an address whose bucket is empty. @param findClient The client address as the gateway states it. */
  findAddressRefusal(findClient: FindClient): TokenRefusal | undefined
  /** Takes a request without a good token from the bucket of its address. */
  takeAddress(findClient: FindClient): void
  state(): RequestLimitsState
}

/** The sizes of the two tables, for metrics. */
export interface RequestLimitsState {
  readonly callers: number
  readonly addresses: number
  /** Whether the shared store gives no answer; absent without a shared store. */
  readonly isSharedAway?: boolean
}

/** The place in which the requests of each caller and address are counted. */
export type CountingPlace = 'process' | 'redis'

/** Counts that several processes share. */
export interface SharedRates {
  /**
   * Counts a request even if the bucket is empty, because a process has already let the request pass or is about to refuse it.
   * @returns The milliseconds until the bucket is full again; `undefined` without an answer in time. Never rejects.
   */
  take(key: string, rate: RequestRate): Promise<number | undefined>
  isAvailable(): boolean
  close(): void
}

/** Creates empty tables of the requests of callers and addresses, which follow the policy in force. */
export function createRequestLimits({ policy, now, shared }: LimitsParts): RequestLimits {
  const [callers, addresses] = [new RateTable(maxKeys), new RateTable(maxKeys)]
  const share = (table: RateTable, key: string, rate: RequestRate) =>
    shared?.take(key, rate).then((fullInMs) => {
      if (fullInMs !== undefined) table.learn(key, fullInMs, now())
      return fullInMs
    })
  const findAddress = (findClient: FindClient) => {
    const rate = policy().limits?.addresses
    const key = rate && toAddressKey(findClient())
    return rate && key !== undefined ? { key, rate } : undefined
  }
  return {
    take({ key, rate }) {
      const waitMs = callers.take(key, rate, now())
      if (waitMs > 0) return createCallerRefusal(rate, waitMs)
      void share(callers, key, rate)
      return undefined
    },
    takeShared({ key, rate }) {
      const waitMs = callers.take(key, rate, now())
      if (waitMs > 0) return createCallerRefusal(rate, waitMs)
      return share(callers, key, rate)?.then((fullInMs = 0) => {
        const { windowMs } = toTimes(rate)
        return fullInMs > windowMs ? createCallerRefusal(rate, fullInMs - windowMs) : undefined
      })
    },
    findAddressRefusal(findClient) {
      const found = findAddress(findClient)
      const waitMs = found ? addresses.computeWait(found.key, found.rate, now()) : 0
      return waitMs > 0
        ? createLimitRefusal(waitMs, { note: 'too many requests without a good token from its address' })
        : undefined
    },
    takeAddress(findClient) {
      const found = findAddress(findClient)
      if (found && addresses.take(found.key, found.rate, now()) === 0) void share(addresses, found.key, found.rate)
    },
    state: () => ({
      callers: callers.size,
      addresses: addresses.size,
      ...(shared && { isSharedAway: !shared.isAvailable() }),
    }),
  }
}

/** The most entries of each of the two tables. Callers have a table of their own, so that requests without a token cannot displace them. */
const maxKeys = 50_000

/** Reads the address of the client; `undefined` where the gateway does not say it. It is called only where the policy has a limit. */
type FindClient = () => string | undefined

interface LimitsParts {
  readonly policy: () => Pick<Policy, 'limits'>
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Absent if only this process counts. */
  readonly shared?: SharedRates | undefined
}

/**
 * Returns the key of an address; `undefined` for another text. An IPv6 address counts with its /64 network (RFC 4291, section 2.5.4),
 * because the owner of a network can use any address in it.
 */
function toAddressKey(address: string | undefined): string | undefined {
  if (address === undefined) return undefined
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const { hostname } = new URL(`http://[${address.split('%', 1)[0]}]/`) // the one spelling of RFC 5952
  const [head = '', tail] = hostname.slice(1, -1).split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : 8 - start.length - end.length
  const groups = [...start, ...Array<string>(zeros).fill('0'), ...end]
  const isMapped = groups.slice(0, 5).every((group) => group === '0') && groups[5] === 'ffff'
  return isMapped ? toMapped(groups) : `${groups.slice(0, 4).join(':')}::/64`
}

/** Returns the IPv4 address that is mapped to an IPv6 address (RFC 4291, section 2.5.5.2). */
function toMapped(groups: readonly string[]): string {
  const bytes = groups.slice(6).flatMap((group) => {
    const number = Number.parseInt(group, 16)
    return [number >> 8, number & 255]
  })
  return bytes.join('.')
}

function createCallerRefusal(rate: RequestRate, waitMs: number): TokenRefusal {
  return createLimitRefusal(waitMs, { detail: `its owner may send ${renderRate(rate)}` })
}

function createLimitRefusal(waitMs: number, words: { readonly detail?: string; readonly note?: string }): TokenRefusal {
  return new TokenRefusal('too-many-requests', { ...words, retryAfterSec: Math.max(1, Math.ceil(waitMs / 1000)) })
}

/**
 * How much of their rate many keys have used. Each key has a bucket of tokens, which is one number: the time at which it would be full again
 * (the generic cell rate algorithm). A bucket that is not in the table is full.
 */
export class RateTable {
  readonly #half: number
  /** Two generations: when the newer one is full, the older one is dropped. It holds only keys that were not used since. */
  #newer = new Map<string, number>()
  #older = new Map<string, number>()

  /** @param entries The most keys in the table. A key that was dropped has a full bucket, so no caller is refused because of another. */
  constructor(entries: number) {
    this.#half = Math.ceil(entries / 2)
  }

  get size(): number {
    return this.#newer.size + this.#older.size
  }

  /**
   * Takes one request from the bucket.
   * @returns 0 if a request was taken; otherwise the milliseconds until the bucket has one.
   */
  take(key: string, rate: RequestRate, now: number): number {
    const { eachMs, windowMs } = toTimes(rate)
    const next = this.#computeFullAt(key, rate, now) + eachMs
    const waitMs = next - now - windowMs
    if (waitMs > roundingMs) return waitMs
    this.#set(key, next)
    return 0
  }

  /** Computes the milliseconds until the bucket has a request; 0 if it has one. */
  computeWait(key: string, rate: RequestRate, now: number): number {
    const { eachMs, windowMs } = toTimes(rate)
    const waitMs = this.#computeFullAt(key, rate, now) + eachMs - now - windowMs
    return waitMs > roundingMs ? waitMs : 0
  }

  /**
   * Records that other processes used the bucket too.
   * @param fullInMs When the bucket is full again.
   */
  learn(key: string, fullInMs: number, now: number): void {
    const known = this.#newer.get(key) ?? this.#older.get(key) ?? 0
    if (now + fullInMs > known) this.#set(key, now + fullInMs)
  }

  /** After the clock was set back, or with a smaller rate of a new policy, a key waits no longer than with an empty bucket. */
  #computeFullAt(key: string, rate: RequestRate, now: number): number {
    const known = this.#newer.get(key) ?? this.#older.get(key) ?? now
    return Math.min(Math.max(known, now), now + toTimes(rate).longestMs)
  }

  #set(key: string, fullAt: number): void {
    this.#older.delete(key)
    this.#newer.set(key, fullAt)
    if (this.#newer.size < this.#half) return
    this.#older = this.#newer
    this.#newer = new Map()
  }
}

/** Sums of fractions of milliseconds are inexact. */
const roundingMs = 1e-6

/**
 * Durations of a rate: for one request, until an empty bucket is full, and until a bucket with the largest debt is full. A bucket has a
 * debt if several processes let requests pass before they learn of each other's.
 */
export function toTimes({ requests, everySec, burst }: RequestRate) {
  const eachMs = (everySec * 1000) / requests
  return { eachMs, windowMs: eachMs * burst, longestMs: eachMs * burst * 2 }
}
