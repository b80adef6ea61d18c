import type { Clock, Deadline } from '../../../runtime/deadline.ts'
import type { KeychainPrompt } from '../keychain.ts'
import type { BusConnection } from './bus-connection.ts'
import { type FailureFacts, longestAnswerMs } from './bus-failures.ts'
import { BusError, type BusValue } from './bus-types.ts'

/** A Secret Service that has been found, for one use. */
export interface SecretService {
  readonly bus: BusConnection
  /** The unique name of the service on the bus. Only answers from this name count, and a call to it starts no service. */
  readonly owner: string
  readonly limit: AnswerLimit
  readonly deadline: Deadline
  readonly prompt: KeychainPrompt
  /** Whether a person could see the dialog of a keyring. */
  readonly display: 'here' | 'none'
  readonly facts: FailureFacts
}

/** Calls a method. @throws {BusError} */
export async function sendCall(service: SecretService, call: ServiceCall): Promise<BusValue[]> {
  const { path, member, signature, values } = call
  const sent = { destination: service.owner, path, interface: interfaces[call.interface], member, signature, values }
  const message = await service.limit(service.bus.call(sent))
  if (message.signature !== call.answer) throw new BusError('broken', `it answers ${member} with other types`)
  return message.decodeValues()
}

/** A call of a method of one of its objects. */
interface ServiceCall {
  readonly path: string
  readonly interface: keyof typeof interfaces
  readonly member: string
  readonly signature: string
  readonly values: readonly BusValue[]
  /** The signature of the method's answer. */
  readonly answer: string
}

/** Waits for an answer. All answers together may take at most {@link longestAnswerMs}. @throws {BusError} `hung` */
export type AnswerLimit = <T>(answer: Promise<T>) => Promise<T>

/** Creates the limit for one use of the keychain. */
export function createAnswerLimit(clock: Pick<Clock, 'elapsedMs'>): AnswerLimit {
  let leftMs = longestAnswerMs
  return async (answer) => {
    const begin = clock.elapsedMs()
    const { promise: late, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new BusError('hung', 'it does not answer')), Math.max(0, leftMs))
    try {
      return await Promise.race([answer, late])
    } finally {
      clearTimeout(timer)
      leftMs -= clock.elapsedMs() - begin
    }
  }
}

/** The well-known name of the Secret Service on the bus (Secret Service API, draft 0.2). */
export const serviceName = 'org.freedesktop.secrets'

/** The path of the object that is the Secret Service itself. */
export const servicePath = '/org/freedesktop/secrets'

/** The interfaces of the Secret Service, and the D-Bus interface for properties. */
export const interfaces = {
  service: 'org.freedesktop.Secret.Service',
  collection: 'org.freedesktop.Secret.Collection',
  item: 'org.freedesktop.Secret.Item',
  prompt: 'org.freedesktop.Secret.Prompt',
  properties: 'org.freedesktop.DBus.Properties',
} as const

/** The name of the error for an item or a keyring that is locked. */
export const lockedError = 'org.freedesktop.Secret.Error.IsLocked'

/** The path that means "no object", for example no prompt. */
export const noObject = '/'
