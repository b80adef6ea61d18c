// Folder: `npm run build`: the executables and bundles of this tree, for the vendor of a file.

import { rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { bundleAll } from '../bundle/bundle.ts'
import { renderAnalysis } from '../bundle/render-analysis.ts'
import { buildSeparate, buildSuite } from '../executable/build-suite.ts'
import { renderChecks } from '../executable/origin/render-checks.ts'
import { listOriginChecks } from '../executable/prepare-runtime.ts'
import { hostTarget, listRuntimes, requireRuntime } from '../executable/runtimes.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { bundleDirectory, root } from '../tree.ts'
import { checkVendorFile } from './vendor-file.ts'

tellFailures('build')
const { values } = parseOptions({
  command: 'npm run build --',
  summary: 'builds bundles and executables, in dist/',
  options: {
    target: {
      type: 'string',
      multiple: true,
      default: [hostTarget],
      value: 'TARGET',
      summary: 'executables of this platform, such as linux-arm64, or all; absent, of this machine',
    },
    separate: { type: 'string', multiple: true, value: 'NAME', summary: 'the executable of this helper alone' },
    vendor: { type: 'string', value: 'FILE', summary: 'the vendor file with the names of your client' },
    analyze: { type: 'boolean', summary: 'only bundles, and a list of what is in each' },
  },
})
const from = { vendorFile: values.vendor && checkVendorFile(values.vendor) }

rmSync(bundleDirectory, { recursive: true, force: true })
const bundles = await bundleAll(from)
for (const { name, bytes } of bundles) report(`dist/bundle/${name}.cjs`, bytes)
if (values.analyze) console.log(`\n${bundles.map(renderAnalysis).join('\n')}`)
else await buildExecutables()

async function buildExecutables(): Promise<void> {
  const targets = values.target.includes('all') ? listRuntimes().map(({ target }) => target) : values.target
  for (const target of targets) {
    const runtime = requireRuntime(target)
    process.stdout.write(renderChecks(runtime, await listOriginChecks(runtime)))
    if (values.separate)
      for (const name of values.separate) reportFile(await buildSeparate(target, name, from, join(root, 'dist')))
    else {
      const { helpers, links, cli } = await buildSuite(target, from)
      reportFile(helpers)
      for (const link of links) console.log(`${relative(root, link)}  the same file`)
      reportFile(cli)
    }
  }
}

function reportFile(path: string): void {
  report(relative(root, path), statSync(path).size)
}

function report(name: string, bytes: number): void {
  console.log(
    `${name}  ${bytes < 2 ** 20 ? `${Math.round(bytes / 2 ** 10)} KiB` : `${Math.round(bytes / 2 ** 20)} MiB`}`,
  )
}
