import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setBench } from './bench.ts'
import { reportCalls } from './calls.ts'
import { reportLoad } from './load.ts'
import { reportPaging } from './paging.ts'
import { reportSizes } from './sizes.ts'
import { reportTogether } from './together.ts'

const { values } = parseArgs({ options: { pairs: { type: 'string', default: '20' } } })
if (/^[1-9]\d{0,3}$/.test(values.pairs)) await runBenchmark(Number(values.pairs))
else {
  console.error('bench: --pairs: expected a whole number from 1 to 9999')
  process.exitCode = 2
}

/** Whatever cannot be built, fails or answers wrongly ends all of it, with a status that is not zero. */
async function runBenchmark(pairs: number): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'gatepass bench '))
  try {
    console.log(`Node ${process.versions.node}, ${pairs} pairs, each measured in turn; median (min to max)\n`)
    const bench = await setBench(home, pairs)
    await reportCalls(bench)
    await reportTogether(bench)
    await reportLoad(pairs)
    await reportPaging()
    await reportSizes(bench)
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
