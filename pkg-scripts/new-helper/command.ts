// Folder: `npm run new-helper`, which writes a helper to begin with, and what a helper still lacks.

import { tellFailures } from '../tell-failures.ts'
import { root } from '../tree.ts'
import { findMissingParts } from './missing-parts.ts'
import { requireNewName, writeHelper } from './write-helper.ts'

// Writes a helper to begin with: `npm run new-helper NAME`.
tellFailures('new-helper')

const name = requireNewName(root, process.argv.slice(2))
const written = await writeHelper(root, name)
console.log(`Written:
${renderList(written)}
Left to do, in the order of CONTRIBUTING.md:
${renderList(findMissingParts(root, name))}
Try it: npm run helper -- ${name} --help`)

function renderList(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n')
}
