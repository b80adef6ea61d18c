import { main } from '../../src/cli/program/main.ts'
import type { AnyHelper } from '../../src/helper/define-helper.ts'
import { importHelper, listHelpers } from '../tree.ts'

// Runs the `gatepass` command from source: `npm run gatepass -- …`.
const helpers = new Map<string, AnyHelper>()
for (const name of listHelpers()) helpers.set(name, await importHelper(name))
await main(helpers)
