import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { spreadOf } from './pairs.ts'
import { runToEnd, type Timed } from './processes.ts'
import { renderSpread } from './report.ts'

/** A helper that is ready to run, but for what makes its token new. */
export type PrepareCall = (tokenUrl: string, round: number) => Timed

/**
 * Prints what waiting for another's mint adds: one call mints, another is started while the source takes its time, and
 * what counts is by how much it ends later.
 */
export async function reportWaiting(prepare: PrepareCall, pairs: number): Promise<void> {
  const source = await startSlowSource()
  try {
    const rounds: Round[] = []
    for (let round = 0; round <= pairs; round += 1) rounds.push(await playRound(source, prepare(source.url, round)))
    if (source.answers !== rounds.length) throw new Error(`${source.answers} mints in ${rounds.length} rounds`)
    const counted = rounds.slice(1)
    console.log(`executable, waiting for another's mint: ends ${renderSpread(spreadOf(counted.map(({ added }) => added)))} ms later
  the mint, of a source that takes ${answerAfterMs} ms: ${renderSpread(spreadOf(counted.map(({ mint }) => mint)))} ms
`)
  } finally {
    source.close()
  }
}

/** Milliseconds of the call that mints, and by how many the other one ended later. */
interface Round {
  readonly mint: number
  readonly added: number
}

async function playRound(source: SlowSource, call: Timed): Promise<Round> {
  const asked = source.expect()
  const startedAt = performance.now()
  const minting = runToEnd(call)
  await Promise.race([asked, minting])
  const [minted, waited] = await Promise.all([minting, runToEnd(call)])
  return { mint: minted - startedAt, added: waited - minted }
}

/** Long enough for the second call to be there and waiting. */
const answerAfterMs = 500

interface SlowSource {
  readonly url: string
  readonly answers: number
  /** Until somebody asks the next time. */
  expect(): Promise<void>
  close(): void
}

/** Exchanges any identity token, late. */
async function startSlowSource(): Promise<SlowSource> {
  let answers = 0
  let asked = Promise.withResolvers<void>()
  const server = createServer(async (request, response) => {
    request.resume()
    asked.resolve()
    await pause(answerAfterMs)
    answers += 1
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ access_token: `made-up-${answers}`, token_type: 'Bearer', expires_in: 7200 }))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server, which listens
    get answers() {
      return answers
    },
    expect: () => {
      asked = Promise.withResolvers<void>()
      return asked.promise
    },
    close: () => server.close().closeAllConnections(),
  }
}
