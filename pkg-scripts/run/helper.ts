import { main } from '../../src/helper/run/main.ts'
import { helperNames, importHelper } from '../tree.ts'

// Runs a helper from source: `npm run helper -- NAME [OPTIONS]`.
const [name = '', ...options] = process.argv.slice(2)
if (!helperNames().includes(name)) {
  console.error(`run-helper: the first argument is one of ${helperNames().join(', ')}`)
  process.exitCode = 2
} else {
  process.argv.splice(2, Number.POSITIVE_INFINITY, ...options)
  await main(name, await importHelper(name))
}
