// Folder: `npm run build`.

import { rmSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { renderAnalysis } from '../bundle/analyze.ts'
import { bundleAll } from '../bundle/bundle.ts'
import { hostTarget, listRuntimes } from '../executable/runtimes.ts'
import { buildSeparate, buildSuite } from '../executable/suite.ts'
import { tellFailures } from '../tell-failures.ts'
import { bundleDirectory, root } from '../tree.ts'
import { checkVendorFile } from './vendor-file.ts'

// Builds bundles and executables: `npm run build -- [--target TARGET|all]… [--separate NAME]… [--vendor FILE] [--analyze]`.
tellFailures('build')
const { values } = parseArgs({
  options: {
    target: { type: 'string', multiple: true, default: [hostTarget] },
    separate: { type: 'string', multiple: true },
    vendor: { type: 'string' },
    analyze: { type: 'boolean' },
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
    if (values.separate) for (const name of values.separate) reportFile(await buildSeparate(target, name, from))
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
