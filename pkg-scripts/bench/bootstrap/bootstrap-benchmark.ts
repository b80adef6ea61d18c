// Folder: `npm run bench -- bootstrap`: a configuration server under load, compared with the web framework alone, and the check of a large rollout.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleAll } from '../../bundle/bundle.ts'
import { renderLoadAverage } from '../report.ts'
import { writeBenchPolicy } from '../verifier/bench-policy.ts'
import { measureWaits } from '../verifier/measure-waits.ts'
import { type PinnedServer, startBareServer, startConfigurationServer } from '../verifier/pinned-server.ts'
import { measureRate, renderRate } from '../verifier/run-wrk.ts'
import { type BenchRelease, writeBenchRelease, writeRequests } from './bench-release.ts'
import { printCheck } from './check-benchmark.ts'

/**
 * Measures the configuration server on one core with the load on another, alternately with the web framework alone on the same Node; and
 * the time to check forty groups with six overlays each.
 */
export async function printBootstrapLoad(load: BootstrapLoad): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass-bench-'))
  try {
    await bundleAll()
    console.log(`Node ${process.versions.node}; load of the machine before: ${renderLoadAverage()}\n`)
    await printCheck(home, load.pairs)
    await printServer(home, load)
    console.log(`load of the machine after: ${renderLoadAverage()}`)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** The extent of a run. */
interface BootstrapLoad {
  /** The length of each measurement. */
  readonly seconds: number
  readonly pairs: number
}

async function printServer(home: string, load: BootstrapLoad): Promise<void> {
  const policy = await writeBenchPolicy(home)
  const published = await writeBenchRelease(home)
  await using server = await startConfigurationServer(policy, published)
  const answer = await fetchAnswer(server, policy.tokens[0]!)
  const release = { ...published, answer, ...(await writeRequests(home, policy, answer.headers.etag!)) }
  await using bare = await startBareServer(answer)
  await printRates(release, { server, bare }, load)
  await printWaits(release, { server, bare }, load)
}

type ComparedServers = Readonly<Record<'server' | 'bare', PinnedServer>>

/** Returns the headers and the body that hono alone answers with. */
async function fetchAnswer({ url }: PinnedServer, token: string): Promise<BenchRelease['answer']> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  const names = ['etag', 'cache-control', 'x-content-type-options', 'content-type']
  const headers = names.map((name) => [name, answer.headers.get(name) ?? ''])
  return { headers: Object.fromEntries(headers), body: await answer.text() }
}

async function printRates(
  release: BenchRelease,
  { server, bare }: ComparedServers,
  load: BootstrapLoad,
): Promise<void> {
  const kinds = [
    { what: '304s', path: release.unchanged },
    { what: `documents of ${release.answer.body.length} bytes`, path: release.documents },
  ]
  for (const { what, path } of kinds)
    for (let pair = 0; pair <= load.pairs; pair += 1) {
      const wrk = { seconds: load.seconds, args: [path], script: 'many-tokens.lua', expect: 'all pass' } as const
      const [own, other] = [await measureRate(server, wrk), await measureRate(bare, wrk)]
      const ratio = (own.perSec / other.perSec).toFixed(2)
      // The first pair warms both servers up.
      if (pair > 0) console.log(`${what}: ${renderRate(own)}; hono alone: ${renderRate(other)}; ratio ${ratio}`)
    }
}

/** The rates that the server must sustain: the aim, half of it, and three times as much. */
const ratesPerSec = [1_667, 834, 5_000]

async function printWaits(release: BenchRelease, servers: ComparedServers, load: BootstrapLoad): Promise<void> {
  console.log('\n19 of 20 answers are 304s:')
  for (const perSec of ratesPerSec)
    for (let pair = 0; pair < load.pairs; pair += 1)
      for (const [name, server] of Object.entries(servers)) {
        const rate = { perSec, seconds: load.seconds, statuses: [200, 304] }
        const { p50, p99, p999, longest } = await measureWaits(server, release.mostlyUnchanged, rate)
        const [a, b, c, d] = [p50, p99, p999, longest].map((ms) => ms.toFixed(2))
        console.log(`${name} at ${perSec}/s: p50 ${a} ms, p99 ${b} ms, p99.9 ${c} ms, longest ${d} ms`)
      }
}
