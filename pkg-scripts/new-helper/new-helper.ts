// Folder: `npm run new-helper`, which writes the first version of a helper, and lists the missing parts of one.

import { writeHelperRows } from '../docs/helper-rows.ts'
import { parseOptions } from '../parse-options.ts'
import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { listMissingParts } from './missing-parts.ts'
import { requireNewName, writeHelper } from './write-helper.ts'

tellFailures('new-helper')
const { positionals } = parseOptions({
  command: 'npm run new-helper --',
  summary: 'writes a helper to begin with',
  options: {},
  operands: 'NAME',
})

const name = requireNewName(root, positionals)
const written = await writeHelper(root, name)
const pages = await writeHelperRows()
console.log(`Written:
${renderList([...written, ...pages.map((path) => `${path}: its row`)])}
Left to do, in the order of CONTRIBUTING.md:
${renderList(listMissingParts(root, name))}
Try it: npm run helper -- ${name} --help`)

function renderList(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}
