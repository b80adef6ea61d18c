import { describeEvent, renderTime } from '../../src/client/simulation/render-timeline.ts'
import { renderLanes } from './render-lanes.ts'
import type { SceneEvent } from './scene-event.ts'
import type { Screen } from './screen.ts'

/** Receives every event of a scene. */
export type EventListener = (event: SceneEvent) => void

/** Plays a scene and prints its events as they happen. Gives all events. */
export async function playScene(
  { print, tellProgress, paint }: Screen,
  title: string,
  play: (onEvent: EventListener) => Promise<void>,
): Promise<SceneEvent[]> {
  const events: SceneEvent[] = []
  print(paint('strong', title))
  await play((event) => {
    events.push(event)
    const words = event.type === 'outside' ? paint(styleOf[event.who], event.text) : describeEvent(event, paint)
    print(`${paint('quiet', renderTime(event.at))}  ${words}`)
    if (event.type === 'helper-started') tellProgress('the helper is at work')
  })
  print('')
  return events
}

const styleOf = {
  administrator: 'caution',
  api: 'strong',
  doctor: 'strong',
  model: 'quiet',
  owner: 'caution',
  person: 'strong',
  platform: 'quiet',
  server: 'quiet',
} as const

/** Plays a scene in which every turn has to succeed, and prints its timeline. Gives the number of turns that were lost. */
export async function playHealthyScene(
  screen: Screen,
  title: string,
  play: (onEvent: EventListener) => Promise<void>,
): Promise<number> {
  const events = await playScene(screen, title, play)
  screen.print(renderLanes(events, screen.paint))
  return events.filter(({ type }) => type === 'turn-failed').length
}
