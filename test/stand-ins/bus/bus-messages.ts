import { encodeValues, parseMessage } from '../../../src/sources/keychain/secret-service/bus-message.ts'
import type { BusValue } from '../../../src/sources/keychain/secret-service/bus-types.ts'

/** A call as a bus receives it. */
export interface ReceivedCall {
  readonly serial: number
  readonly path: string
  readonly member: string
  readonly values: BusValue[]
}

/** The messages that a bus sends in return for one. */
export interface Sent {
  readonly kind: 'return' | 'error' | 'signal'
  readonly sender: string
  readonly signature?: string
  readonly values?: readonly BusValue[]
  readonly errorName?: string
  /** The place of a signal. */
  readonly path?: string
  readonly member?: string
}

export function parseCall(bytes: Buffer): ReceivedCall {
  const { path, member, decodeValues } = parseMessage(bytes)
  return { serial: bytes.readUInt32LE(8), path, member, values: decodeValues() }
}

/** @param serial Of the call that it answers. */
export function encodeSent(sent: Sent, serial: number): Buffer {
  const body = encodeValues(sent.signature ?? '', sent.values ?? [])
  const fields: [number, string, BusValue | undefined][] = [
    [1, 'o', sent.path],
    [3, 's', sent.member],
    [4, 's', sent.errorName],
    [5, 'u', sent.kind === 'signal' ? undefined : serial],
    [7, 's', sent.sender],
    [8, 'g', sent.signature],
  ]
  const known = fields.filter(([, , value]) => value !== undefined)
  const header = known.map(([code, signature, value]) => [code, { signature, value: value! }])
  const kind = { return: 2, error: 3, signal: 4 }[sent.kind]
  const head = encodeValues('yyyyuua(yv)', [108, kind, 1, 1, body.length, serial + 1000, header])
  return Buffer.concat([head, Buffer.alloc((8 - (head.length % 8)) % 8), body])
}
