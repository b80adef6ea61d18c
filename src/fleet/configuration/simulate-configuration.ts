import { Agenda } from '../day/agenda.ts'
import { selectSite } from '../day/desktop.ts'
import { RandomStream } from '../day/random-stream.ts'
import { daySec } from '../fleet-result.ts'
import type { ConfigurationDay, ConfigurationResult } from './configuration-day.ts'
import { DayCounts } from './day-counts.ts'
import { SimulatedClient } from './simulated-client.ts'
import { SimulatedEndpoint } from './simulated-endpoint.ts'
import { createSimulatedReleases, type SimulatedReleases, toMember } from './simulated-releases.ts'

/**
 * Simulates the day of a fleet with a configuration server. Desktops share only the server, whose answers do not depend on the load, so
 * they are simulated one after the other.
 * @param onProgress Receives the share of simulated desktops, from 0 to 1, a few hundred times.
 * @throws {HelperError} `usage` for a change that the commands would refuse at its time.
 */
export function simulateConfiguration(
  day: ConfigurationDay,
  onProgress: (part: number) => void = () => {},
): ConfigurationResult {
  const releases = createSimulatedReleases(day)
  const offsetMs = day.warmUpDays * daySec * 1000
  const endpoint = new SimulatedEndpoint(day, releases, offsetMs)
  const counts = new DayCounts(releases.count)
  const client = new SimulatedClient(day, { endpoint, counts, offsetMs })
  const agenda = new Agenda({ ...day, taskEverySec: undefined, taskSpreadSec: 0, refusedPerThousand: 0 })
  const random = new RandomStream()
  const endsAt = offsetMs + daySec * 1000
  const progressEvery = Math.ceil(day.desktops / 200)
  for (let person = 0; person < day.desktops; person += 1) {
    if (person % progressEvery === 0) onProgress(person / day.desktops)
    random.seed(day.seed, person, 2)
    const groups = day.groups.filter(({ share }) => random.next() < share).map(({ name }) => name)
    endpoint.serve(toMember(person, groups))
    agenda.begin(person, selectSite(day, person))
    playPerson(agenda, client, endsAt)
    counts.endPerson()
  }
  onProgress(1)
  return toResult(counts, endpoint, releases)
}

function playPerson(agenda: Agenda, client: SimulatedClient, endsAt: number): void {
  let isOpen = false
  while (agenda.personAt < endsAt) {
    const { step, personAt } = agenda
    if (step === 'begin') client.open(personAt)
    else if (step === 'wake') client.wake(personAt)
    else if (step === 'turn') client.use(personAt)
    else if (isOpen) client.close(personAt)
    isOpen = step !== 'sleep' && step !== 'leave'
    agenda.passStep()
  }
  if (isOpen) client.close(endsAt)
}

function toResult(
  counts: DayCounts,
  { requests }: SimulatedEndpoint,
  { states }: SimulatedReleases,
): ConfigurationResult {
  const { starts, people, turns, lostTurns } = counts
  return {
    requests,
    starts,
    people,
    turns,
    lostTurns,
    blocked: counts.sortBlocked(),
    blockedByRestart: counts.sortBlockedByRestart(),
    blockedPerMinute: counts.countBlockedPerMinute(),
    clientsPerMinute: counts.countClientsPerMinute(),
    changes: states.slice(1).map(({ at, words }) => ({ at, words })),
  }
}
