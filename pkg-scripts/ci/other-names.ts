// `npm run test:names`: runs quick tests in a copy of the tree for another vendor.

import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { checkVendorFile } from '../build/vendor-file.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'

/** The folders whose code reads, stores, sends and shows a vendor's names; the whole quick set would take twice as long. */
const named = ['api', 'cli', 'client', 'config', 'contract', 'end-to-end', 'gateway', 'helper', 'runtime', 'setup']

tellFailures('test:names')
const { values, positionals } = parseOptions({
  command: 'npm run test:names --',
  summary:
    'runs tests in a copy of the tree for another vendor: those that are named, or the quick ones of what names something',
  options: {
    vendor: {
      type: 'string',
      default: join(root, 'test/setup/second-names.json'),
      value: 'FILE',
      summary: 'its vendor file; absent, one with names that differ in everything',
    },
  },
  operands: '[TEST…]',
})
const copy = prepareTree(checkVendorFile(values.vendor))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const isChosen = positionals.length > 0
const tests = isChosen ? positionals : named.map((folder) => `test/${folder}/`)
// Tests that are given by name may be slow ones.
const projects = (isChosen ? ['quick', 'slow', 'patient'] : ['quick']).flatMap((name) => ['--project', name])
const { status } = spawnSync(process.execPath, [vitest, 'run', ...projects, ...tests], { cwd: copy, stdio: 'inherit' })
process.exitCode = status ?? 1

/** Copies the tree to `dist/other-names`, where tests, bundles and scripts use the names of this file. */
function prepareTree(vendorFile: string): string {
  const copy = join(root, 'dist', 'other-names')
  const left = ['node_modules', 'dist', '.git']
  rmSync(copy, { recursive: true, force: true })
  for (const name of readdirSync(root).filter((name) => !left.includes(name)))
    cpSync(join(root, name), join(copy, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction')
  copyFileSync(vendorFile, join(copy, 'src/vendor.json'))
  return copy
}
