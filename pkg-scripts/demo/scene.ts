import { describeEvent, renderTime } from '../../src/client/timeline/render-timeline.ts'
import { drawTimeline } from './draw-timeline.ts'
import type { SceneEvent } from './scene-event.ts'
import type { Screen } from './screen.ts'

export type TellEvent = (event: SceneEvent) => void

/** Tells a scene line by line, as it happens; gives all that happened. */
export async function tellScene(
  { print, busy, paint }: Screen,
  title: string,
  play: (tell: TellEvent) => Promise<void>,
): Promise<SceneEvent[]> {
  const events: SceneEvent[] = []
  print(paint('strong', title))
  await play((event) => {
    events.push(event)
    const words = event.type === 'aside' ? paint(styleOf[event.who], event.text) : describeEvent(event, paint)
    print(`${paint('quiet', renderTime(event.at))}  ${words}`)
    if (event.type === 'helper-started') busy('the helper is at work')
  })
  print('')
  return events
}

const styleOf = { administrator: 'caution', api: 'strong', platform: 'quiet' } as const

/** A scene in which every turn has to succeed, with its timeline drawn below; the number of turns that were lost. */
export async function tellHealthyScene(
  screen: Screen,
  title: string,
  play: (tell: TellEvent) => Promise<void>,
): Promise<number> {
  const events = await tellScene(screen, title, play)
  screen.print(drawTimeline(events, screen.paint))
  return events.filter(({ type }) => type === 'turn-failed').length
}
