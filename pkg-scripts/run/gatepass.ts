// Runs the `gatepass` command from source: `npm run gatepass -- …`.

import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { importHelper, listHelpers } from '../tree.ts'
import { prepareNames } from './prepare-names.ts'

await prepareNames(process.argv.slice(2))
const { main } = await import('../../src/cli/run-cli.ts')
const helpers = new Map<string, AnyHelper>()
for (const name of listHelpers()) helpers.set(name, await importHelper(name))
await main(helpers)
