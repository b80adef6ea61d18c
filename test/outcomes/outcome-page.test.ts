import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { listSourceKinds } from '../../src/contract/source-kinds.ts'
import { outcomeFields } from '../../src/outcomes/outcome-fields.ts'
import { toResource } from '../../src/outcomes/run-sender.ts'
import { stageKinds } from '../../src/runtime/deadline.ts'

const list = (words: readonly string[]) => words.map((word) => `\`${word}\``).join(', ')

test('the page lists every field by its names in each destination, and every word', async () => {
  const page = await readFile(join(root, 'docs', 'outcomes.md'), 'utf8')
  const rows = Object.entries<{ attribute?: string; journalField: string; summary: string }>(outcomeFields).map(
    ([member, { attribute, journalField, summary }]) =>
      `| \`${member}\` | ${attribute === undefined ? '–' : `\`${attribute}\``} | \`${journalField}\` | ${summary} |`,
  )
  const told = [
    `|---|---|---|---|\n${rows.join('\n')}\n`,
    `- **\`source\`**: ${list(listSourceKinds())}. `,
    `- **\`late\`**: ${list(stageKinds)}.\n`,
  ]
  expect(told.filter((words) => !page.includes(words))).toEqual([])
  const defaults = Object.keys(toResource([], '1.2.3', { platform: 'linux', machine: 'desk' }))
  expect([...defaults, 'error.type'].filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
