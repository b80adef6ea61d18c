// Folder: the keychain of Linux, over the part of D-Bus that a client needs.

import type { Deadline } from '../../../runtime/deadline.ts'
import { waitAtMost } from '../../../runtime/wait-at-most.ts'
import type { Keychain, KeychainHost, KeychainPrompt } from '../keychain.ts'
import type { BusConnection } from './bus-connection.ts'
import { createStateFailure, type FailureFacts, type ServiceState } from './bus-failures.ts'
import { BusError, type BusProblem } from './bus-types.ts'
import { readSecret, removeSecret, writeSecret } from './items.ts'
import { openBus, toBusCall } from './open-bus.ts'
import { type AnswerLimit, createAnswerLimit, lockedError, type SecretService, serviceName } from './send-call.ts'

/** Creates the keychain of Linux: the program that offers the Secret Service on the session bus. */
export function createLinuxKeychain(
  host: Pick<KeychainHost, 'clock' | 'env'>,
  prompt: KeychainPrompt,
  otherwise: string,
): Keychain {
  const use = { host, prompt, otherwise }
  return {
    title: 'the Secret Service',
    read: (item, deadline) => runConnected(use, deadline, (service) => readSecret(service, item)),
    write: (item, secret, deadline) => runConnected(use, deadline, (service) => writeSecret(service, item, secret)),
    remove: (item, deadline) => runConnected(use, deadline, (service) => removeSecret(service, item)),
  }
}

/** The bus on which a Secret Service is searched, and the conditions of the search. */
interface ServiceSearch {
  readonly bus: BusConnection
  readonly limit: AnswerLimit
  readonly prompt: KeychainPrompt
  readonly facts: FailureFacts
}

/** The conditions under which the Secret Service is used. */
interface ServiceUse {
  readonly host: Pick<KeychainHost, 'clock' | 'env'>
  readonly prompt: KeychainPrompt
  /** See `openKeychain`. */
  readonly otherwise: string
}

/** Opens the Secret Service for one use. @throws {HelperError} with a message for each state in which it cannot be used; `late`. */
function runConnected<T>(
  use: ServiceUse,
  deadline: Deadline,
  work: (service: SecretService) => Promise<T>,
): Promise<T> {
  return deadline.during('keychain', 'the Secret Service', async ({ signal }) => {
    const search = await openSearch(use, signal)
    try {
      return await runWithService(await requireServiceOn(search, use, deadline), work)
    } finally {
      search.bus.close()
    }
  })
}

async function openSearch({ host, prompt, otherwise }: ServiceUse, signal: AbortSignal): Promise<ServiceSearch> {
  const facts = { otherwise }
  const aborter = new AbortController()
  const limit = createAnswerLimit(host.clock)
  try {
    const bus = await limit(openBus(host.env, AbortSignal.any([signal, aborter.signal])))
    return { bus, limit, prompt, facts }
  } catch (error) {
    aborter.abort()
    throw toBusFailure(error, facts)
  }
}

async function requireServiceOn(
  search: ServiceSearch,
  { host }: ServiceUse,
  deadline: Deadline,
): Promise<SecretService> {
  try {
    const display = host.env.DISPLAY || host.env.WAYLAND_DISPLAY ? 'here' : 'none'
    return { ...search, owner: await requireService(search), deadline, display }
  } catch (error) {
    throw toBusFailure(error, search.facts)
  }
}

/**
 * Finds the unique name of the Secret Service on a bus. The service is started only if a person may be asked.
 * @throws {HelperError} if there is none; `BusError`.
 */
async function requireService(search: ServiceSearch): Promise<string> {
  const { bus, limit, prompt, facts } = search
  const owner = await findOwner(search)
  if (owner) return owner
  const [names] = (await limit(bus.call(toBusCall('ListActivatableNames', '', [])))).decodeValues()
  if (!Array.isArray(names) || !names.includes(serviceName)) throw createStateFailure('not installed', facts)
  if (prompt === 'never') throw createStateFailure('not running', facts)
  await startService(search)
  const started = await findOwner(search)
  if (!started) throw createStateFailure('not started', facts)
  return started
}

async function findOwner({ bus, limit }: ServiceSearch): Promise<string | undefined> {
  try {
    const [owner] = (await limit(bus.call(toBusCall('GetNameOwner', 's', [serviceName])))).decodeValues()
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

async function runWithService<T>(service: SecretService, work: (service: SecretService) => Promise<T>): Promise<T> {
  try {
    return await work(service)
  } catch (error) {
    const isHung = error instanceof BusError && error.problem === 'hung'
    throw toServiceFailure(error, { ...service.facts, detail: isHung ? await describeProcess(service) : undefined })
  }
}

/** In milliseconds: how long the bus may take to name the process that hangs. Our decision. */
const longestQuestionMs = 500

/** Describes the process of a service that hangs, so that a person can end it. The bus has its process ID. */
async function describeProcess({ bus, owner }: SecretService): Promise<string | undefined> {
  const answer = bus.call(toBusCall('GetConnectionUnixProcessID', 's', [owner]))
  try {
    const [id] = (await waitAtMost(answer, longestQuestionMs))?.decodeValues() ?? []
    return typeof id === 'number' ? `process ${id}` : undefined
  } catch {
    return undefined // the message is useful without the process
  }
}

/** Explains a failure of the bus before the service was found. Any other error is returned unchanged. */
function toBusFailure(error: unknown, facts: FailureFacts): unknown {
  if (!(error instanceof BusError)) return error
  const { problem, message } = error
  const isSaid = !['absent', 'hung', 'anonymous'].includes(problem)
  const detail = isSaid ? message : undefined
  return createStateFailure(busStates[problem], { ...facts, detail, cause: error })
}

const busStates: Readonly<Record<BusProblem, ServiceState>> = {
  absent: 'no bus',
  rejected: 'bus denied',
  anonymous: 'bus anonymous',
  hung: 'bus hung',
  broken: 'bus broken',
  closed: 'bus broken',
  answer: 'bus broken',
}

/** Explains a failure of the service. Any other error is returned unchanged. */
function toServiceFailure(error: unknown, facts: FailureFacts): unknown {
  if (!(error instanceof BusError)) return error
  if (error.problem === 'hung') return createStateFailure('hung', { ...facts, cause: error })
  const state = answerStates[error.errorName] ?? 'broken'
  const detail = state === 'broken' ? error.message : undefined
  return createStateFailure(state, { ...facts, detail, cause: error })
}

/** The states for the error names of D-Bus; any other name means `broken`. */
const answerStates: Readonly<Record<string, ServiceState>> = {
  [lockedError]: 'locked',
  'org.freedesktop.DBus.Error.AccessDenied': 'denied',
  'org.freedesktop.DBus.Error.AuthFailed': 'denied',
}
