import { type Paint, renderTime } from '../../src/client/timeline/render-timeline.ts'
import type { SceneEvent } from './scene-event.ts'

/** A sign on a lane, at a moment. */
interface Mark {
  readonly at: number
  readonly sign: string
  readonly style: Parameters<Paint>[0]
}

/** Time from left to right, a lane for each of those who act, and what the signs mean. */
export function drawTimeline(events: readonly SceneEvent[], paint: Paint): string {
  const times = events.map(({ at }) => at)
  const [start, end] = [Math.min(...times), Math.max(...times)]
  const column = (at: number) => Math.round(((at - start) / (end - start || 1)) * (width - 1))
  const lanes = Object.entries(lanesOf).map(([name, markOf]) => {
    const marks = events.flatMap((event) => markOf(event) ?? [])
    return marks.length > 0 ? [`${name.padEnd(indent)}${drawLane(marks, column, paint)}`] : []
  })
  const axis = ' '.repeat(indent) + paint('quiet', drawAxis([...new Set(times)], column))
  return `${[axis, ...lanes.flat(), ' '.repeat(indent) + paint('quiet', legend)].join('\n')}\n`
}

const indent = 9
const width = 64

/** What each lane shows of an event. */
const lanesOf: Record<string, (event: SceneEvent) => Mark | undefined> = {
  turns: (event) => {
    const { at, type } = event
    if (type === 'turn-failed') return { at, sign: '✗', style: 'bad' }
    if (type !== 'turn-succeeded') return undefined
    return event.attempts === 2 ? { at, sign: '◐', style: 'caution' } : { at, sign: '●', style: 'good' }
  },
  refused: (event) =>
    event.type === 'request-answered' && event.status === 401 ? { at: event.at, sign: '╳', style: 'bad' } : undefined,
  tokens: ({ type, at }) => (type === 'helper-succeeded' ? { at, sign: '├', style: 'good' } : undefined),
  api: (event) =>
    event.type === 'aside' && event.who === 'api' ? { at: event.at, sign: '◆', style: 'strong' } : undefined,
}

const legend = '● turn done  ◐ rescued  ╳ refused  ├ new token  ◆ api call'

/** Tokens are kept until the next one; everything else is a moment. */
function drawLane(marks: readonly Mark[], column: (at: number) => number, paint: Paint): string {
  const isKept = marks[0]?.sign === '├'
  const cells = Array.from({ length: width }, (_, index) => (isKept && index > 0 ? paint('good', '─') : ' '))
  for (const { at, sign, style } of marks) cells[column(at)] = paint(style, sign)
  return cells.join('').trimEnd()
}

/** Hours and minutes, each above its column, as far as there is room. */
function drawAxis(times: readonly number[], column: (at: number) => number): string {
  return times.reduce((axis, at) => {
    const place = Math.min(column(at), width - 5)
    return place < axis.length + (axis === '' ? 0 : 1) ? axis : `${axis.padEnd(place)}${renderTime(at).slice(0, 5)}`
  }, '')
}
