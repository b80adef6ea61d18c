import { BusError, type BusProblem } from '../dbus/bus-error.ts'
import { createStateFailure, type FailureFacts, type ServiceState } from './failures.ts'

/** What a failure of the bus means, before the service was found; anything else as it is. */
export function toBusFailure(error: unknown, facts: FailureFacts): unknown {
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

/** What a failure of the service means; anything else as it is. */
export function toServiceFailure(error: unknown, facts: FailureFacts): unknown {
  if (!(error instanceof BusError)) return error
  if (error.problem === 'hung') return createStateFailure('hung', { ...facts, cause: error })
  const state = answerStates[error.errorName] ?? 'broken'
  const detail = state === 'broken' ? error.message : undefined
  return createStateFailure(state, { ...facts, detail, cause: error })
}

/** What the errors mean that methods answer; any other is `broken`. */
const answerStates: Readonly<Record<string, ServiceState>> = {
  'org.freedesktop.Secret.Error.IsLocked': 'locked',
  'org.freedesktop.DBus.Error.AccessDenied': 'denied',
  'org.freedesktop.DBus.Error.AuthFailed': 'denied',
}
