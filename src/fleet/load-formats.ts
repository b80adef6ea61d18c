import { apiPaths, apiVersion } from '../contract/http-api.ts'
import { toOneLine } from '../runtime/failure.ts'
import { renderCount } from '../runtime/text/counted.ts'
import { vendor } from '../vendor.ts'
import { summarizeMinutes } from './fleet-result.ts'
import type { PlayedFleet } from './summarize-fleet.ts'

/** The load engines, and the function that renders a scenario for each. */
export const loadFormats = { k6: renderK6, locust: renderLocust } as const satisfies Readonly<
  Record<string, (fleet: PlayedFleet) => string>
>

/** The load engine whose scenario `--export` writes. */
export type LoadFormat = keyof typeof loadFormats

/** The values of `--export`, in the order of the help. */
export const loadFormatNames = Object.keys(loadFormats) as readonly LoadFormat[] // the keys of the table

/** Renders a k6 script whose arrival rate follows the curve. It reads the token from a file at the start. */
function renderK6(fleet: PlayedFleet): string {
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

/** Renders a locustfile whose number of users follows the curve. It reads the token from a file once a minute. */
function renderLocust(fleet: PlayedFleet): string {
  const { title, turnsPerMinute } = toLoadCurve(fleet)
  return `# Load for Locust: ${title}.
# LOAD_TOKEN_FILE=token.txt locust --headless --locustfile THIS_FILE --host https://gateway.example.com
# The token is read from its file, anew in every minute, and never written here.
import json
import os
import time

from locust import HttpUser, LoadTestShape, constant_pacing, task

# Turns in each minute of the day, from midnight UTC.
TURNS_PER_MINUTE = ${turnsPerMinute}


def minute_of(clock):
    hours, minutes = clock.split(":")
    return int(hours) * 60 + int(minutes)


FROM = minute_of(os.environ.get("LOAD_FROM", "00:00"))
UNTIL = minute_of(os.environ.get("LOAD_UNTIL", "24:00"))
SCALE = float(os.environ.get("LOAD_SCALE", "1"))  # 0.1: a tenth of the turns
SPEED = float(os.environ.get("LOAD_SPEED", "1"))  # 60: a minute of the day in a second, at its own turns a second
PACE = float(os.environ.get("LOAD_PACE", "5"))  # seconds between the turns of a user; longer than a turn takes
PATH = os.environ.get("LOAD_PATH", "${apiPaths.messages}")
BODY = json.loads(os.environ.get("LOAD_BODY", '${loadBody}'))
HEADERS = json.loads('${loadHeaders}')


def read_token(kept={}):
    minute = time.monotonic() // 60
    if kept.get("minute") != minute:
        with open(os.environ["LOAD_TOKEN_FILE"], encoding="utf-8") as file:
            kept.update(minute=minute, token=file.read().strip())
    return kept["token"]


class Desktop(HttpUser):
    wait_time = constant_pacing(PACE)

    @task
    def turn(self):
        headers = {**HEADERS, "authorization": "Bearer " + read_token()}
        self.client.post(PATH, json=BODY, headers=headers, name="turn")


class Day(LoadTestShape):
    def tick(self):
        at = FROM + self.get_run_time() * SPEED / 60
        if at >= min(UNTIL, len(TURNS_PER_MINUTE)):
            return None
        users = round(TURNS_PER_MINUTE[int(at)] / 60 * SCALE * PACE)
        return (users, max(1, users))
`
}

/** Renders the curve of turns, which is the same under every choice. The gateway gets one request for each turn. */
function toLoadCurve({ name, desktops, seed, played: [first] }: PlayedFleet): LoadCurve {
  const perMinute = first ? summarizeMinutes(first.result.turns) : []
  const hours = Array.from(
    { length: 24 },
    (_, hour) => `  ${perMinute.slice(hour * 60, (hour + 1) * 60).join(', ')},\n`,
  )
  // The name may come from a file. It becomes part of a comment in a script, which U+2028 would end.
  const title = `the turns of ${renderCount(desktops)} desktops in a day, ${JSON.stringify(toOneLine(name))}, seed ${seed}`
  return { title, turnsPerMinute: `[\n${hours.join('')}]` }
}

/** The turns of a fleet's day, in the form that load engines follow. */
interface LoadCurve {
  readonly title: string
  /** Numbers for each minute of the day from midnight UTC, as the items of a list, an hour on each line. */
  readonly turnsPerMinute: string
}

/** The body of a turn, unless `LOAD_BODY` sets another: the smallest that a gateway accepts. Its JSON contains no single quote. */
const loadBody = JSON.stringify({
  model: 'any',
  max_tokens: 16,
  messages: [{ role: 'user', content: 'Hello' }],
})

/** The headers of a turn, except its token. */
const loadHeaders = JSON.stringify({ [vendor.versionHeader]: apiVersion })
