import { computeDueAt } from '../../credentials/credential-timing.ts'
import type { FleetPlay } from './fleet-play.ts'
import { attemptMint } from './helper-run.ts'
import { playAfterRun, startActivity, startTurn } from './play-activity.ts'

/** Plays the loaded desktop until it has to ask the provider after this second, and gives the second of that; `undefined` at the end. */
export function playDesktop(play: FleetPlay, second: number): number | undefined {
  const { activity, agenda } = play.desktop
  for (;;) {
    if (activity.kind === 'nothing') {
      sendQuietTurns(play)
      if (activity.kind !== 'nothing') continue
      if (Math.min(agenda.personAt, agenda.taskAt) >= play.endsAt) return undefined
      startActivity(play)
    } else {
      const requestSecond = Math.floor(activity.requestAt / 1000)
      if (requestSecond > second) return activity.requestAt < play.endsAt ? requestSecond : undefined
      playAfterRun(play, attemptMint(play))
    }
  }
}

/** Sends the turns before anything else happens, while the credential is good and its ttl has not passed; up to one that is refused. */
function sendQuietTurns(play: FleetPlay): void {
  const { agenda, memory, number, now } = play.desktop
  if (memory.isExcluded) return
  const goodUntil = Math.min(memory.expiresAt, play.provider.findRevocation(memory.minted))
  const until = Math.min(goodUntil, computeDueAt(memory, play.timing), agenda.taskAt, play.endsAt)
  while (agenda.step === 'turn' && agenda.personAt < until && agenda.personAt >= now) {
    const at = agenda.personAt
    if (agenda.isRefusedAnyhow()) {
      startTurn(play, at, 'refused anyhow')
      playAfterRun(play, 'ok')
      break
    }
    play.observe(number, at, 'turn')
    play.counts.countTurn(at, 0)
    play.observe(number, at, 'turn: sent')
    agenda.passStep()
  }
}
