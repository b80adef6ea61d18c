import { parseObject } from '../../../runtime/values/json-value.ts'

/**
 * The first argument with which a program starts itself again, so that the AWS SDK finds credentials in a process with a chosen environment
 * that can be ended.
 */
export const sdkChainCommand = 'aws-sdk-chain'

/** The order to the process. It goes over stdin, because the address of a proxy may hold a password. */
export interface ChainOrder {
  /** The profile to try, and nothing else; absent for the SDK's default chain. */
  readonly profile?: string | undefined
  /** The region in which a role is assumed, if its profile has no region. */
  readonly region: string
  /** The process ends itself after this many milliseconds, even if its parent is gone. */
  readonly limitMs: number
  readonly network: OrderedNetwork
}

/** The answer of the process, on its stdout. */
export type ChainAnswer =
  | {
      readonly state: 'found'
      readonly accessKeyId: string
      readonly secretAccessKey: string
      readonly sessionToken?: string | undefined
      /** The expiry of the keys, in milliseconds since the epoch. */
      readonly expiresAt?: number | undefined
      readonly account?: string | undefined
      /** See `toClockOffset`; absent if AWS was not asked. */
      readonly clockOffsetMs?: number | undefined
    }
  /** The network or the order itself prevented a result. */
  | { readonly state: 'hindered'; readonly kind: string; readonly message: string; readonly hint: string }
  /** AWS answered with an error. */
  | { readonly state: 'refused'; readonly code: string; readonly status: number }
  /** The SDK's error, without anything that looks like a credential; `program` if it concerns what a `credential_process` did. */
  | { readonly state: 'none'; readonly reason: string; readonly program?: 'failed' | 'expired' | undefined }

/** Parses an order; `undefined` for any other text. */
export function parseOrder(text: string): ChainOrder | undefined {
  const { profile, region, limitMs, network } = parseObject(text) ?? {}
  if (typeof region !== 'string' || typeof limitMs !== 'number' || typeof network !== 'object') return undefined
  if (profile !== undefined && typeof profile !== 'string') return undefined
  return { profile, region, limitMs, network: network as OrderedNetwork } // only our own program writes it
}

/** Settings of the network as JSON values. */
interface OrderedNetwork {
  readonly proxy?: { readonly url: string; readonly origin: string } | undefined
  readonly noProxy?: string | undefined
  readonly authorities: readonly { readonly path: string; readonly origin: string }[]
  readonly systemFiles: { readonly file?: string | undefined; readonly directory?: string | undefined }
  readonly verification: 'on' | 'switched off'
}

/** Parses an answer; `undefined` for any other text. */
export function parseChainAnswer(text: string): ChainAnswer | undefined {
  const answer = parseObject(text)
  return typeof answer?.state === 'string' ? (answer as unknown as ChainAnswer) : undefined // only our own program writes it
}
