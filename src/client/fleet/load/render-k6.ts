import { apiPaths } from '../../../contract/http-api.ts'
import type { PlayedFleet } from '../report/played-choice.ts'
import { loadBody, loadHeaders, toLoadCurve } from './load-curve.ts'

/** A script whose arrival rate follows the curve; the token is read from a file when it starts. */
export function renderK6(fleet: PlayedFleet): string {
  const { title, turnsPerMinute } = toLoadCurve(fleet)
  return `// Load for k6: ${title}.
// k6 run -e LOAD_HOST=https://gateway.example.com -e LOAD_TOKEN_FILE=/full/path/token.txt THIS_FILE
// The token is read from its file when the run starts, and never written here.
import http from 'k6/http'
import { check } from 'k6'

// Turns in each minute of the day, from midnight UTC.
const turnsPerMinute = ${turnsPerMinute}

const minuteOf = (clock) => Number(clock.split(':')[0]) * 60 + Number(clock.split(':')[1])
const from = minuteOf(__ENV.LOAD_FROM || '00:00')
const until = minuteOf(__ENV.LOAD_UNTIL || '24:00')
const scale = Number(__ENV.LOAD_SCALE || 1) // 0.1: a tenth of the turns
const speed = Number(__ENV.LOAD_SPEED || 1) // 60: a minute of the day in a second, at its own turns a second
const path = __ENV.LOAD_PATH || '${apiPaths.messages}'
const body = __ENV.LOAD_BODY || '${loadBody}'
const token = open(__ENV.LOAD_TOKEN_FILE).trim()

const rates = turnsPerMinute.slice(from, until).map((turns) => Math.round(turns * scale))
const busiest = Math.max(1, ...rates) / 60

export const options = {
  scenarios: {
    day: {
      exec: 'turn',
      executor: 'ramping-arrival-rate',
      startRate: rates[0],
      timeUnit: '1m',
      stages: rates.map((target) => ({ target, duration: \`\${60_000 / speed}ms\` })),
      preAllocatedVUs: Math.ceil(busiest * 5),
      maxVUs: Math.ceil(busiest * 60),
    },
  },
}

export const turn = () => {
  const headers = { 'content-type': 'application/json', ...${loadHeaders}, authorization: \`Bearer \${token}\` }
  const answer = http.post(__ENV.LOAD_HOST + path, body, { headers, tags: { name: 'turn' } })
  check(answer, { 'answered 200': ({ status }) => status === 200 })
}
`
}
