import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { listenOnLoopback } from '../../src/runtime/network/local-server.ts'
import { computeSpread } from './compare-pairs.ts'
import { runToEnd, type TimedProcess } from './processes.ts'
import { renderSpread } from './report.ts'

/**
 * Measures and prints the overhead of waiting for the mint lock. One call mints; another one starts while the source delays its answer. The
 * measurement is how much later the second call ends.
 */
export async function printWaiting(prepare: PrepareCall, pairs: number): Promise<void> {
  const source = await startSlowSource()
  try {
    const rounds: Round[] = []
    for (let round = 0; round <= pairs; round += 1) rounds.push(await runRound(source, prepare(source.url, round)))
    if (source.answers !== rounds.length) throw new Error(`${source.answers} mints in ${rounds.length} rounds`)
    const counted = rounds.slice(1)
    console.log(`executable, waiting for another's mint: ends ${renderSpread(computeSpread(counted.map(({ added }) => added)))} ms later
  the mint, of a source that takes ${answerAfterMs} ms: ${renderSpread(computeSpread(counted.map(({ mint }) => mint)))} ms
`)
  } finally {
    source.close()
  }
}

/** A run of a helper that exchanges at this URL, with another token in each round. */
type PrepareCall = (tokenUrl: string, round: number) => TimedProcess

/** The milliseconds of the minting call, and by how many milliseconds the other call ended later. */
interface Round {
  readonly mint: number
  readonly added: number
}

/** Starts a source that exchanges any identity token after `answerAfterMs`. */
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
  return {
    url: await listenOnLoopback(server),
    get answers() {
      return answers
    },
    expectRequest: () => {
      asked = Promise.withResolvers<void>()
      return asked.promise
    },
    close: () => server.close().closeAllConnections(),
  }
}

async function runRound(source: SlowSource, call: TimedProcess): Promise<Round> {
  const asked = source.expectRequest()
  const startedAt = performance.now()
  const minting = runToEnd(call)
  await Promise.race([asked, minting])
  const [minted, waited] = await Promise.all([minting, runToEnd(call)])
  return { mint: minted - startedAt, added: waited - minted }
}

/** Long enough for the second call to start and to wait. */
const answerAfterMs = 500

interface SlowSource {
  readonly url: string
  readonly answers: number
  /** Resolves with the next request. */
  expectRequest(): Promise<void>
  close(): void
}
