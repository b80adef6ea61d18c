import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { prepareBenchmark } from './benchmark.ts'
import { printCalls } from './calls.ts'
import { printLoad } from './load.ts'
import { printPaging } from './paging.ts'
import { printParallelCalls } from './parallel-calls.ts'
import { printSizes } from './sizes.ts'

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '20' } } })
if (/^[1-9]\d{0,3}$/.test(values.pairs)) await runBenchmark(Number(values.pairs))
else {
  console.error('bench: --pairs: expected a whole number from 1 to 9999')
  process.exitCode = 2
}

/** Runs every part of the benchmark. A program that cannot be built, fails or answers wrongly ends the run with an error. */
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
