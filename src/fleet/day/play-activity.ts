// Plays the events of a desktop by the rules of client and helper; `activity.ts` has the state of one.

import { computeDueAt, isReusedAtStart, refreshContext } from '../../client/credentials/credential-timing.ts'
import type { FleetLoss } from '../fleet-result.ts'
import type { Activity } from './activity.ts'
import type { FleetPlay } from './fleet-play.ts'
import { type RunState, startHelperRun } from './helper-run.ts'

/** Starts the next event on the agenda of the loaded desktop, and simulates it until it needs the provider. */
export function startActivity(play: FleetPlay): void {
  const { agenda } = play.desktop
  const { taskAt, personAt, step } = agenda
  if (taskAt < personAt) startTask(play)
  else if (step !== 'turn') playStep(play)
  else {
    startTurn(play, personAt, agenda.isRefusedAnyhow() ? 'refused anyhow' : 'ordinary')
    playCredential(play)
  }
}

/** Starts a turn from the agenda. `refused anyhow`: the gateway refuses it although its token is good. */
export function startTurn(play: FleetPlay, at: number, luck: 'ordinary' | 'refused anyhow'): void {
  const { agenda, activity, number } = play.desktop
  play.observe(number, at, 'turn')
  applyEffect(play, 'turn', at)
  activity.isRefusedAnyhow = luck === 'refused anyhow'
  agenda.passStep()
}

/** Starts a task, which opens a session of its own and sends one turn. */
function startTask(play: FleetPlay): void {
  const { agenda, activity, number } = play.desktop
  play.observe(number, agenda.taskAt, 'task')
  applyEffect(play, 'task', agenda.taskAt)
  activity.isRefusedAnyhow = agenda.isRefusedAnyhow()
  agenda.passTask()
  startSession(play, 'scheduled-task')
}

function playStep(play: FleetPlay): void {
  const { agenda, number } = play.desktop
  const { step, personAt } = agenda
  play.observe(number, personAt, step)
  agenda.passStep()
  if (step !== 'begin') return
  applyEffect(play, 'begin', personAt)
  startSession(play, 'interactive')
}

function applyEffect({ desktop }: FleetPlay, kind: Activity['kind'], at: number): void {
  desktop.activity.kind = kind
  desktop.activity.at = at
  desktop.activity.purpose = 'none'
  // A person who waits for a turn begins the next one after it.
  desktop.now = Math.max(desktop.now, at)
}

/** Finds the credential of a turn. A person whose session has none opens another session for the turn. */
function playCredential(play: FleetPlay): void {
  const { memory, now } = play.desktop
  if (memory.isExcluded) startSession(play, 'interactive')
  else if (now >= computeDueAt(memory, play.timing)) run(play, refreshContext, 'before-turn')
  else playAfterRun(play, 'ok')
}

function startSession(play: FleetPlay, context: Activity['context']): void {
  const { memory, now } = play.desktop
  if (!isReusedAtStart(memory, now, play.timing)) run(play, context, 'start')
  else {
    if (context === 'interactive') memory.isExcluded = false
    playAfterRun(play, 'ok')
  }
}

function run(play: FleetPlay, context: Activity['context'], purpose: Activity['purpose']): void {
  playAfterRun(play, startHelperRun(play, context, purpose, play.desktop.now))
}

/** Continues an activity after a helper run, or without one. */
export function playAfterRun(play: FleetPlay, state: RunState): void {
  const { activity, memory } = play.desktop
  if (state === 'asking') return
  const { kind, purpose } = activity
  if (state === 'failed' && purpose === 'start' && kind !== 'task') memory.isExcluded = true
  if (kind === 'begin') activity.kind = 'nothing'
  else if (state === 'ok') sendTurn(play)
  else recordLostTurn(play, purpose === 'after-refusal' ? 'unauthorized' : 'no-credential')
}

function sendTurn(play: FleetPlay): void {
  const isRepeated = isRepetition(play)
  if (!isAccepted(play)) playRefusal(play)
  else {
    const { counts, desktop } = play
    if (isRepeated) counts.noteMoment(counts.rescued, desktop.now)
    play.observe(desktop.number, desktop.now, isRepeated ? 'turn: rescued' : 'turn: sent')
    endTurn(play)
  }
}

/** Returns whether the turn is being repeated after a refusal. */
function isRepetition({ desktop }: FleetPlay): boolean {
  return desktop.activity.purpose === 'after-refusal'
}

function isAccepted(play: FleetPlay): boolean {
  const { memory, activity, now } = play.desktop
  if (activity.isRefusedAnyhow && !isRepetition(play)) return false
  return now < memory.expiresAt && now < play.provider.computeRevocation(memory.minted)
}

/** Runs the helper once after a 401, and repeats the turn. */
function playRefusal(play: FleetPlay): void {
  if (isRepetition(play)) recordLostTurn(play, 'unauthorized')
  else {
    play.desktop.memory.isRefused = true
    run(play, refreshContext, 'after-refusal')
  }
}

function recordLostTurn(play: FleetPlay, loss: FleetLoss): void {
  const { counts, desktop } = play
  counts.noteMoment(counts.lost[loss], desktop.now)
  play.observe(desktop.number, desktop.now, `turn: ${loss}`)
  endTurn(play)
}

function endTurn({ desktop: { activity, now }, counts }: FleetPlay): void {
  counts.noteTurn(now, now - activity.at)
  activity.kind = 'nothing'
}
