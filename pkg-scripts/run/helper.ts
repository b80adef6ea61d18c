// Folder: running a helper or the command from source.

import { importHelper, listHelpers } from '../tree.ts'
import { prepareNames } from './prepare-names.ts'

// Runs a helper from source: `npm run helper -- NAME [OPTIONS]`.
await prepareNames()
const { main } = await import('../../src/helper/run/run-helper.ts')
const { runAsChild } = await import('../../src/helper/run-as-child.ts')
const { createSystemHost } = await import('../../src/runtime/host.ts')

const [name = '', ...options] = process.argv.slice(2)
const child = runAsChild('run-helper', createSystemHost())
if (child) await child
else if (!listHelpers().includes(name)) {
  console.error(`run-helper: the first argument is one of ${listHelpers().join(', ')}`)
  process.exitCode = 2
} else {
  const all = new Map(listHelpers().map((other) => [other, () => importHelper(other)]))
  await main(name, await importHelper(name), { systemHost: { ...createSystemHost(), argv: options }, others: all })
}
