import { apiPaths } from '../../../contract/http-api.ts'
import type { PlayedFleet } from '../report/played-choice.ts'
import { loadBody, loadHeaders, toLoadCurve } from './load-curve.ts'

/** A locustfile whose number of users follows the curve; the token is read from a file whenever a minute begins. */
export function renderLocust(fleet: PlayedFleet): string {
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
