import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import helper from '../../../helpers/workload-token.ts'
import { root } from '../../../pkg-scripts/tree.ts'
import { parseArguments } from '../../../src/helper/options/arguments.ts'
import { parseOptionFile } from '../../../src/helper/options/files.ts'
import { commonOptions, type OptionRow, placeholderOf, variablesOf } from '../../../src/helper/options/table.ts'
import { exitStatus } from '../../../src/runtime/failure.ts'
import { program } from './workbench.ts'

const options: Record<string, OptionRow> = { ...helper.options, ...commonOptions }
const page = await readFile(join(root, 'docs', 'helpers', `${program}.md`), 'utf8')
const [document, file] = [...page.matchAll(/```json\n(\{\n[^`]*)```/g)].map(([, text = '']) => text)

test('the table of options is the helper’s own', () => {
  const rows = Object.entries(options).map(([name, row]) => {
    const flag = `--${name} ${placeholderOf(row).replaceAll('|', '\\|')}`.trimEnd()
    const variables = variablesOf(name, row).map((variable) => `\`${variable}\``)
    return `| \`${flag}\` | ${variables.join(', ')} | ${row.summary} |`.replace('|  |', '| |')
  })
  expect(page.split('\n').filter((line) => line.startsWith('| `--'))).toEqual(rows)
})

test('the example of a client’s document has arguments that the helper takes', () => {
  const { inference } = JSON.parse(document ?? '') as { inference: { credential: { args: string[] } } } // our own page
  expect(parseArguments(program, options, inference.credential.args)).toEqual(
    new Map([
      ['identity', 'kubernetes'],
      ['identity-file', '/var/run/secrets/platform/token'],
    ]),
  )
})

test('the example of a machine’s file is one', () => {
  expect([...parseOptionFile('page', 'machine', options, file ?? '').locked]).toEqual([
    'base-url',
    'organization',
    'federation-rule',
    'workspace',
  ])
})

test('every source of identity tokens is in the table of sources', () => {
  const rows = [...page.matchAll(/^\| `([a-z][a-z-]+)` \|/gm)].map(([, kind]) => kind)
  expect(rows).toEqual([...helper.options.identity.value])
})

test('every fact is named', () => {
  expect(page).toContain(
    helper.facts
      .map((fact) => `\`{${fact}}\``)
      .join(', ')
      .replace(/, ([^,]*)$/, ' and $1'),
  )
})

test('every exit status that this helper has is in the table of failures', () => {
  const statuses = [...page.matchAll(/^\| (\d) \|/gm)].map(([, status]) => Number(status))
  expect(statuses).toEqual(Object.values(exitStatus).filter((status) => status !== exitStatus.bug))
})
