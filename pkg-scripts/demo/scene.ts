import { describeEvent, type Paint, renderTime } from '../../src/client/simulation/render-timeline.ts'
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

/** Renders a timeline from left to right, with a lane for each kind of event, and a legend. */
function renderLanes(events: readonly SceneEvent[], paint: Paint): string {
  const times = events.map(({ at }) => at)
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const column = (at: number) => Math.round(((at - start) / (end - start || 1)) * (width - 1))
  const rendered = Object.entries(lanes).map(([name, findMark]) => {
    const marks = events.flatMap((event) => findMark(event) ?? [])
    return marks.length > 0 ? [`${name.padEnd(indent)}${renderLane(marks, column, paint)}`] : []
  })
  const axis = ' '.repeat(indent) + paint('quiet', renderAxis([...new Set(times)], column))
  return `${[axis, ...rendered.flat(), ' '.repeat(indent) + paint('quiet', legend)].join('\n')}\n`
}

/** A sign on a lane, at a time in epoch milliseconds. */
interface LaneMark {
  readonly at: number
  readonly sign: string
  readonly style: Parameters<Paint>[0]
}

const indent = 9
const width = 64

/** The lanes by name, each with the mark that it gives an event. */
const lanes: Record<string, (event: SceneEvent) => LaneMark | undefined> = {
  turns: (event) => {
    const { at, type } = event
    if (type === 'turn-failed') return { at, sign: '✗', style: 'bad' }
    if (type !== 'turn-succeeded') return undefined
    return event.attempts === 2 ? { at, sign: '◐', style: 'caution' } : { at, sign: '●', style: 'good' }
  },
  refused: (event) =>
    event.type === 'request-answered' && event.status === 401 ? { at: event.at, sign: '╳', style: 'bad' } : undefined,
  tokens: ({ type, at }) => (newToken.has(type) ? { at, sign: '├', style: 'good' } : undefined),
  api: (event) =>
    event.type === 'outside' && event.who === 'api' ? { at: event.at, sign: '◆', style: 'strong' } : undefined,
}

const newToken = new Set<SceneEvent['type']>(['helper-succeeded', 'sign-in-succeeded', 'renewal-succeeded'])

const legend = '● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call'

/** Renders one lane. A token lasts until the next one, so its lane is a line; all other marks are single signs. */
function renderLane(marks: readonly LaneMark[], column: (at: number) => number, paint: Paint): string {
  const isKept = marks[0]?.sign === '├'
  const cells = Array.from({ length: width }, (_, index) => (isKept && index > 0 ? paint('good', '─') : ' '))
  for (const { at, sign, style } of marks) cells[column(at)] = paint(style, sign)
  return cells.join('').trimEnd()
}

/** Hours and minutes, each above its column where there is room. */
function renderAxis(times: readonly number[], column: (at: number) => number): string {
  return times.reduce((axis, at) => {
    const start = Math.min(column(at), width - 5)
    return start < axis.length + (axis === '' ? 0 : 1) ? axis : `${axis.padEnd(start)}${renderTime(at).slice(0, 5)}`
  }, '')
}
