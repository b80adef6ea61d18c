import { hash, randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Identity } from '../../verify/verdict.ts'

/** The tokens of a person who has confirmed a device. */
export interface DeviceTokens {
  /** The token that the `GET` of the configuration server accepts. */
  readonly accessToken: string
  readonly refreshToken: string | undefined
  /** Epoch milliseconds. */
  readonly expiresAt: number
}

/** The limits of device sign-ins (RFC 8628). Our decisions, unless a row names another source. */
export const deviceLimits = {
  /** How long a client waits (documentation of the client). */
  grantSec: 300,
  /** The default interval, and the amount that `slow_down` adds (RFC 8628, section 3.5). */
  intervalSec: 5,
  /** Pending grants of one server. */
  grants: 20_000,
  /** How often one code may be entered. */
  entriesOfCode: 5,
  /**
   * Wrong codes in a minute, by all people together. A code has 9 of 20 letters, so nobody can guess one of 20,000 codes at this rate (RFC
   * 8628, section 5.1).
   */
  wrongCodesPerMinute: 100,
} as const

/** A device that waits for a person's confirmation. */
interface DeviceGrant {
  /** The name of the grant in the audit. It is not a secret, and gives access to nothing. */
  readonly id: string
  readonly userCode: string
  readonly clientId: string
  /** Epoch milliseconds. */
  readonly expiresAt: number
  outcome: 'pending' | 'denied' | 'expired' | DeviceTokens
  entries: number
  intervalSec: number
  /** Epoch milliseconds of the last poll. */
  polledAt: number | undefined
}

/** One person's sign-in for a grant, in one browser. */
export interface DeviceSignIn {
  /** The `state` of the authorization request. */
  readonly state: string
  readonly nonce: string
  readonly codeVerifier: string
  /** SHA-256 of the cookie of the browser in which the sign-in began. */
  readonly sessionDigest: string
  readonly grant: DeviceGrant
  /** `started`: the person is at the provider. `asked`: the page waits for the confirmation. */
  stage: 'started' | 'redeeming' | AskedPerson | 'finished'
}

/** A person who has signed in and is asked whether the device may use the tokens. */
interface AskedPerson {
  readonly formToken: string
  readonly tokens: DeviceTokens
  readonly identity: Identity
}

/** The answer to a poll: the tokens, once, or an error code (RFC 8628, section 3.5). */
type PollAnswer =
  | DeviceTokens
  | 'authorization_pending'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'invalid_grant'

/** There are no vowels, so that no code is a word, and no letters that look alike (RFC 8628, section 6.1). */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'

/**
 * All pending devices, in the memory of this process: the person's browser and the polling client must reach the same process. Secret codes
 * are stored as digests, used once, and dropped after their time.
 */
export class DeviceGrants {
  readonly #now: () => number
  /** The grants by the digest of their device code, oldest first. */
  readonly #byDevice = new Map<string, DeviceGrant>()
  readonly #byUserCode = new Map<string, DeviceGrant>()
  readonly #signIns = new Map<string, DeviceSignIn>()
  /** The grants that have not expired, oldest first. */
  readonly #running = new Set<DeviceGrant>()
  #wrongSince = 0
  #wrongCodes = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Creates a grant; `undefined` if too many are pending. */
  begin(clientId: string): { readonly deviceCode: string; readonly grant: DeviceGrant } | undefined {
    this.#removeOld()
    if (this.#byDevice.size >= deviceLimits.grants) return undefined
    const deviceCode = createSecretText()
    const grant: DeviceGrant = {
      id: `device_${randomUUID()}`,
      userCode: this.#createUserCode(),
      clientId,
      expiresAt: this.#now() + deviceLimits.grantSec * 1000,
      outcome: 'pending',
      entries: 0,
      intervalSec: deviceLimits.intervalSec,
      polledAt: undefined,
    }
    this.#byDevice.set(digest(deviceCode), grant)
    this.#byUserCode.set(grant.userCode, grant)
    this.#running.add(grant)
    return { deviceCode, grant }
  }

  /** Takes the expired grants without a decision, each only once. */
  takeExpired(): DeviceGrant[] {
    const expired: DeviceGrant[] = []
    for (const grant of this.#running) {
      if (grant.expiresAt > this.#now()) break
      this.#running.delete(grant)
      if (grant.outcome !== 'pending') continue
      grant.outcome = 'expired'
      expired.push(grant)
    }
    return expired
  }

  /** Finds the grant for a code that a person has entered in any spelling. `too-many`: the limit of wrong codes is reached. */
  enter(text: string): DeviceGrant | 'unknown' | 'too-many' {
    const now = this.#now()
    if (now - this.#wrongSince >= 60_000) {
      this.#wrongSince = now
      this.#wrongCodes = 0
    }
    if (this.#wrongCodes >= deviceLimits.wrongCodesPerMinute) return 'too-many'
    const grant = this.#byUserCode.get(normalizeUserCode(text))
    const isOpen = grant?.outcome === 'pending' && grant.expiresAt > now && grant.entries < deviceLimits.entriesOfCode
    if (grant && isOpen) {
      grant.entries += 1
      return grant
    }
    this.#wrongCodes += 1
    return 'unknown'
  }

  /**
   * Creates a sign-in for a grant.
   * @returns the sign-in, and the secret of the browser's cookie.
   */
  createSignIn(grant: DeviceGrant): { readonly signIn: DeviceSignIn; readonly session: string } {
    const session = createSecretText()
    const signIn: DeviceSignIn = {
      state: createSecretText(),
      nonce: createSecretText(),
      codeVerifier: createSecretText(),
      sessionDigest: digest(session),
      grant,
      stage: 'started',
    }
    this.#signIns.set(signIn.state, signIn)
    return { signIn, session }
  }

  /** Finds a sign-in by its state, only for the browser in which it began. */
  findSignIn(state: string | null, session: string | undefined): DeviceSignIn | undefined {
    const signIn = state === null ? undefined : this.#signIns.get(state)
    const isOpen = signIn?.grant.outcome === 'pending' && signIn.grant.expiresAt > this.#now()
    return signIn && isOpen && session !== undefined && signIn.sessionDigest === digest(session) ? signIn : undefined
  }

  poll(deviceCode: string, clientId: string): PollAnswer {
    const key = digest(deviceCode)
    const grant = this.#byDevice.get(key)
    if (!grant || grant.clientId !== clientId) return 'invalid_grant'
    const now = this.#now()
    if (grant.expiresAt <= now) return 'expired_token'
    const isEarly = grant.polledAt !== undefined && now - grant.polledAt < grant.intervalSec * 1000
    grant.polledAt = now
    if (isEarly) {
      grant.intervalSec += deviceLimits.intervalSec
      return 'slow_down'
    }
    if (grant.outcome === 'pending') return 'authorization_pending'
    this.#remove(key, grant)
    if (grant.outcome === 'denied') return 'access_denied'
    return grant.outcome === 'expired' ? 'expired_token' : grant.outcome
  }

  /** Removes grants some minutes after they expire, so that a client can still learn of the expiry. */
  #removeOld(): void {
    const before = this.#now() - deviceLimits.grantSec * 1000
    for (const [key, grant] of this.#byDevice) {
      if (grant.expiresAt > before) break
      this.#remove(key, grant)
    }
    for (const [state, { grant }] of this.#signIns) {
      if (grant.expiresAt > before) break
      this.#signIns.delete(state)
    }
  }

  #remove(key: string, grant: DeviceGrant): void {
    this.#byDevice.delete(key)
    this.#byUserCode.delete(grant.userCode)
  }

  #createUserCode(): string {
    const code = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('')
    return this.#byUserCode.has(code) ? this.#createUserCode() : code
  }
}

const codeLength = 9

/** Creates a text of 256 random bits. */
export function createSecretText(): string {
  return randomBytes(32).toString('base64url')
}

/** Renders a code for a person: `BCD-FGH-JKL`. */
export function renderUserCode(code: string): string {
  return code.match(/.{3}/g)?.join('-') ?? code
}

function normalizeUserCode(text: string): string {
  return text.length > 40 ? '' : text.toUpperCase().replaceAll(/[^A-Z]/g, '')
}

function digest(text: string): string {
  return hash('sha256', text, 'base64url')
}
