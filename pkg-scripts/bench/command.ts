// The command line of `npm run bench`: its operand chooses what is measured.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { prepareBenchmark } from './benchmark.ts'
import { printBootstrapLoad } from './bootstrap/bootstrap-benchmark.ts'
import { printCalls } from './calls.ts'
import { printFleet } from './fleet-benchmark.ts'
import { printLoad } from './load.ts'
import { printPaging } from './paging.ts'
import { printParallelCalls } from './parallel-calls.ts'
import { printRelay } from './relay.ts'
import { printSizes } from './sizes.ts'
import { printVerifierLoad } from './verifier/verifier-benchmark.ts'

tellFailures('bench')
const { values, positionals } = parseOptions({
  command: 'npm run bench --',
  summary: 'measures whole processes in turn with an empty program, or what the operand names',
  options: {
    pairs: { type: 'string', value: 'NUMBER', summary: 'how many pairs are measured' },
    seconds: { type: 'string', value: 'NUMBER', summary: 'how long each load of a server lasts' },
    requests: {
      type: 'string',
      value: 'NUMBER',
      summary: 'after how many distinct tokens the memory of a verifier is measured',
    },
    desktops: { type: 'string', value: 'NUMBER', summary: 'the size of the simulated fleet' },
  },
  operands: '[verifier | bootstrap | run | fleet]',
})
const [subject, ...others] = positionals
const problem = findProblem()
if (problem) {
  console.error(`bench: ${problem}`)
  process.exitCode = 2
} else if (subject === 'verifier')
  await printVerifierLoad({
    pairs: Number(values.pairs ?? 3),
    seconds: Number(values.seconds ?? 5),
    requests: Number(values.requests ?? 1_000_000),
  })
else if (subject === 'bootstrap')
  await printBootstrapLoad({ pairs: Number(values.pairs ?? 3), seconds: Number(values.seconds ?? 5) })
else if (subject === 'run') await printRelay(Number(values.pairs ?? 20))
else if (subject === 'fleet') printFleet(Number(values.desktops ?? 1_000_000))
else await runBenchmark(Number(values.pairs ?? 20))

function findProblem(): string | undefined {
  for (const [name, value] of Object.entries(values))
    if (!/^[1-9]\d{0,6}$/.test(value)) return `--${name}: expected a whole number from 1 to 9999999`
  if (others.length > 0 || ![undefined, 'verifier', 'bootstrap', 'fleet', 'run'].includes(subject))
    return 'expected nothing, or the word verifier or bootstrap for the load of that server, fleet for a simulated fleet, or run for a client behind a relay'
  if (subject !== 'verifier' && values.requests !== undefined) return '--requests: only for the load of a verifier'
  if (subject !== 'verifier' && subject !== 'bootstrap' && values.seconds !== undefined)
    return '--seconds: only for the load of a server'
  if (subject !== 'fleet' && values.desktops !== undefined) return '--desktops: only for a simulated fleet'
  if (subject === 'fleet' && values.pairs !== undefined) return '--pairs: a simulated fleet has none'
  return undefined
}

/** Runs every part of the benchmark. A program that cannot be built, fails or gives a wrong answer ends the run with an error. */
async function runBenchmark(pairs: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass bench '))
  try {
    console.log(`Node ${process.versions.node}, ${pairs} pairs, each measured in turn; median (min to max)\n`)
    const benchmark = await prepareBenchmark(home, pairs)
    await printCalls(benchmark)
    await printParallelCalls(benchmark)
    await printLoad(pairs)
    await printPaging()
    await printSizes(benchmark)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
