import type { BusConnection } from '../dbus/bus-connection.ts'
import { BusError } from '../dbus/bus-error.ts'
import { toBusCall } from '../dbus/open-bus.ts'
import type { KeychainPrompt } from '../keychain.ts'
import type { AnswerLimit } from './answer-limit.ts'
import { createStateFailure, type FailureFacts } from './failures.ts'
import { serviceName } from './names.ts'

/** Where a Secret Service is looked for. */
export interface ServiceSearch {
  readonly bus: BusConnection
  readonly limit: AnswerLimit
  readonly prompt: KeychainPrompt
  readonly facts: FailureFacts
}

/**
 * The unique name of the Secret Service on a bus. It is started only where a person may be asked.
 * @throws {HelperError} where there is none; `BusError`.
 */
export async function findService(search: ServiceSearch): Promise<string> {
  const { bus, limit, prompt, facts } = search
  const owner = await findOwner(search)
  if (owner) return owner
  const [names] = (await limit(bus.call(toBusCall('ListActivatableNames', '', [])))).readValues()
  if (!Array.isArray(names) || !names.includes(serviceName)) throw createStateFailure('not installed', facts)
  if (prompt === 'never') throw createStateFailure('not running', facts)
  await startService(search)
  const started = await findOwner(search)
  if (!started) throw createStateFailure('not started', facts)
  return started
}

async function findOwner({ bus, limit }: ServiceSearch): Promise<string | undefined> {
  try {
    const [owner] = (await limit(bus.call(toBusCall('GetNameOwner', 's', [serviceName])))).readValues()
    return typeof owner === 'string' && owner.startsWith(':') ? owner : undefined
  } catch (error) {
    if (error instanceof BusError && error.errorName === 'org.freedesktop.DBus.Error.NameHasNoOwner') return undefined
    throw error
  }
}

async function startService({ bus, limit, facts }: ServiceSearch): Promise<void> {
  try {
    await limit(bus.call(toBusCall('StartServiceByName', 'su', [serviceName, 0])))
  } catch (cause) {
    if (!(cause instanceof BusError) || !['answer', 'hung'].includes(cause.problem)) throw cause
    throw createStateFailure('not started', { ...facts, detail: cause.message, cause })
  }
}
