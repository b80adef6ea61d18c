import type { Deadline } from '../../../runtime/deadline.ts'
import { BusError } from '../dbus/bus-error.ts'
import { openBus, toBusCall } from '../dbus/open-bus.ts'
import type { KeychainPrompt } from '../keychain.ts'
import type { KeychainHost } from '../keychain-host.ts'
import { createAnswerLimit } from './answer-limit.ts'
import { findService, type ServiceSearch } from './find-owner.ts'
import type { SecretService } from './send-call.ts'
import { toBusFailure, toServiceFailure } from './to-failure.ts'

/** How the Secret Service is used. */
export interface ServiceUse {
  readonly host: Pick<KeychainHost, 'clock' | 'env'>
  readonly prompt: KeychainPrompt
  /** See `openKeychain`. */
  readonly otherwise: string
}

/** Opens the Secret Service for one use. @throws {HelperError} for every state in which it cannot be used; `late`. */
export function runConnected<T>(
  use: ServiceUse,
  deadline: Deadline,
  work: (service: SecretService) => Promise<T>,
): Promise<T> {
  return deadline.during('keychain', 'the Secret Service', async ({ signal }) => {
    const search = await openSearch(use, signal)
    try {
      return await workWith(await findServiceOn(search, use, deadline), work)
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

async function findServiceOn(search: ServiceSearch, { host }: ServiceUse, deadline: Deadline): Promise<SecretService> {
  try {
    const display = host.env.DISPLAY || host.env.WAYLAND_DISPLAY ? 'here' : 'none'
    return { ...search, owner: await findService(search), deadline, display }
  } catch (error) {
    throw toBusFailure(error, search.facts)
  }
}

async function workWith<T>(service: SecretService, work: (service: SecretService) => Promise<T>): Promise<T> {
  try {
    return await work(service)
  } catch (error) {
    const isHung = error instanceof BusError && error.problem === 'hung'
    throw toServiceFailure(error, { ...service.facts, detail: isHung ? await describeProcess(service) : undefined })
  }
}

/** In milliseconds, for the bus to say which process hangs. */
const longestQuestionMs = 500

/** The process of a service that hangs, for the person who ends it; the bus knows it. */
async function describeProcess({ bus, owner }: SecretService): Promise<string | undefined> {
  const answer = bus.call(toBusCall('GetConnectionUnixProcessID', 's', [owner]))
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(() => resolve(), longestQuestionMs)
  try {
    const message = await Promise.race([answer, late])
    const [id] = (message || undefined)?.readValues() ?? []
    return typeof id === 'number' ? `process ${id}` : undefined
  } catch {
    return undefined // the person learns the rest without it
  } finally {
    clearTimeout(timer)
  }
}
