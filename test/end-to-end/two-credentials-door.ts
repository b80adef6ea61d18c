import { createServer } from 'node:http'
import { listenDuringTest } from '../setup/listen-during-test.ts'

/** The two credentials that a gateway requires: the first in `Authorization`, the second in other headers. */
export interface DoorRule {
  readonly first: RegExp
  readonly second: Readonly<Record<string, RegExp>>
}

/** Starts a stand-in for such a gateway until the test is over. It answers 200 to both credentials, and 401 to anything else. */
export async function startDoor({ first, second }: DoorRule): Promise<string> {
  const server = createServer(({ headers }, response) => {
    const wanted = Object.entries({ ...second, authorization: first })
    const isOpen = wanted.every(([name, pattern]) => pattern.test(String(headers[name] ?? '')))
    response.writeHead(isOpen ? 200 : 401).end()
  })
  return `http://127.0.0.1:${await listenDuringTest(server)}`
}
