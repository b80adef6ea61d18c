import type { Deadline } from '../../../runtime/deadline.ts'
import type { BusConnection } from '../dbus/bus-connection.ts'
import { BusError } from '../dbus/bus-error.ts'
import type { BusValue } from '../dbus/bus-types.ts'
import type { KeychainPrompt } from '../keychain.ts'
import type { AnswerLimit } from './answer-limit.ts'
import type { FailureFacts } from './failures.ts'
import { interfaces } from './names.ts'

/** A Secret Service that has been found, for one use. */
export interface SecretService {
  readonly bus: BusConnection
  /** Its unique name on the bus: nobody else's answers count, and nothing is started for it. */
  readonly owner: string
  readonly limit: AnswerLimit
  readonly deadline: Deadline
  readonly prompt: KeychainPrompt
  /** Whether the dialog of a keyring could be seen. */
  readonly display: 'here' | 'none'
  readonly facts: FailureFacts
}

/** A method of one of its objects. */
export interface ServiceCall {
  readonly path: string
  readonly interface: keyof typeof interfaces
  readonly member: string
  readonly signature: string
  readonly values: readonly BusValue[]
  /** The signature of its answer. */
  readonly answer: string
}

/** Calls a method. @throws {BusError} */
export async function sendCall(service: SecretService, call: ServiceCall): Promise<BusValue[]> {
  const { path, member, signature, values } = call
  const sent = { destination: service.owner, path, interface: interfaces[call.interface], member, signature, values }
  const message = await service.limit(service.bus.call(sent))
  if (message.signature !== call.answer) throw new BusError('broken', `it answers ${member} with other types`)
  return message.readValues()
}
