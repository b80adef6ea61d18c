// `npm run runtimes`: prints whether each pinned runtime is Node's own, and keeps the digests that nodejs.org publishes.

import { parseOptions } from '../../parse-options.ts'
import { tellFailures } from '../../tell-failures.ts'
import { downloadRuntime, listOriginChecks } from '../prepare-runtime.ts'
import { listRuntimes, requireRuntime } from '../runtimes.ts'
import { requireOrigin } from './origin.ts'
import { keptPlace, nodeDownloads, recordPublished } from './published-sums.ts'
import { renderChecks } from './render-checks.ts'

tellFailures('runtimes')
const { values } = parseOptions({
  command: 'npm run runtimes --',
  summary: "shows whether each runtime is Node's own, by its signature and by the digests that Node.js publishes",
  options: {
    target: {
      type: 'string',
      multiple: true,
      value: 'TARGET',
      summary: 'the runtime of this target; absent, every one',
    },
    fetch: {
      type: 'boolean',
      summary: 'downloads what Node.js publishes, compares, and keeps its digests in packaging/runtimes/published/',
    },
    from: { type: 'string', value: 'URL', summary: `another address with the files of ${nodeDownloads}` },
  },
})
const from = values.from?.replace(/\/$/, '') ?? nodeDownloads
for (const runtime of values.target?.map(requireRuntime) ?? listRuntimes()) {
  if (values.fetch) {
    const { program } = await downloadRuntime(runtime)
    await requireOrigin(runtime, () => recordPublished(runtime, program, { from, place: keptPlace }))
  }
  process.stdout.write(renderChecks(runtime, await listOriginChecks(runtime)))
}
