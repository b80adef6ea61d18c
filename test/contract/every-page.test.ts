import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderHelperPage } from '../../pkg-scripts/new-helper/render-page.ts'
import { importHelper, listHelpers, root } from '../../pkg-scripts/tree.ts'
import { requireArguments } from '../../src/helper/options/arguments.ts'
import { commonOptions } from '../../src/helper/options/every-helper-options.ts'
import { parseOptionFile } from '../../src/helper/options/option-files.ts'
import type { OptionRow } from '../../src/helper/options/option-table.ts'
import { exitStatus } from '../../src/runtime/failure.ts'
import { toNamesInForce } from '../setup/names.ts'

const pages = readdirSync(join(root, 'docs', 'helpers')).map((file) => file.replace(/\.md$/, ''))

test('every page belongs to a helper', () => {
  expect(pages.filter((name) => !listHelpers().includes(name))).toEqual([])
})

test('the page of the machine’s file shows a file that every helper takes', async () => {
  const page = await readFile(join(root, 'docs', 'machine-file.md'), 'utf8')
  const [, text = ''] = /```json\n(\{\n[^`]*)```/.exec(page) ?? []
  const tables = await Promise.all(listHelpers().map(async (name) => (await importHelper(name)).options))
  const read = tables.map((table) => {
    const { values } = parseOptionFile('page', 'machine', { ...table, ...commonOptions }, text)
    return [...values.keys()]
  })
  expect(read).toEqual(tables.map(() => ['client-ttl', 'proxy', 'ca', 'sign-in-hint']))
})

describe.each(pages)('the page of %s', async (name) => {
  const helper = await importHelper(name)
  const options: Record<string, OptionRow> = { ...helper.options, ...commonOptions }
  const page = toNamesInForce(await readFile(join(root, 'docs', 'helpers', `${name}.md`), 'utf8'))
  const examples = [...page.matchAll(/```json\n(\{\n[^`]*)```/g)].map(([, text = '']) => text)
  const documents = examples.filter((text) => text.includes('"helper-script"'))
  const files = examples.filter((text) => text.includes('"locked"'))

  test('lists the helper’s own options', () => {
    const isRow = (line: string) => line.startsWith('| `--') || line.includes("| the machine's file only |")
    const [shown, expected] = [page, renderHelperPage(name, helper)].map((text) => text.split('\n').filter(isRow))
    expect(shown).toEqual(expected)
  })

  test('shows documents whose arguments the helper takes', async () => {
    const read = (text: string) => requireArguments(name, options, JSON.parse(text).inference.credential.args)
    expect((await Promise.all(documents.map(read))).length).toBeGreaterThan(0)
  })

  test('shows a machine’s file that locks what it sets', () => {
    const locked = files.map((text) => [...parseOptionFile('page', 'machine', options, text).locked])
    expect(locked.map((names) => names.length > 0)).toEqual([true])
  })

  test('names every fact', () => {
    const facts = helper.facts.map((fact) => `{${fact}}`)
    expect(facts.filter((fact) => !page.includes(`\`${fact}\``))).toEqual([])
  })

  test('has every exit status in its table of failures', () => {
    const statuses = [...page.matchAll(/^\| (\d) \|/gm)].map(([, status]) => Number(status))
    const { bug, unwritable, ...own } = exitStatus // nothing that is about one helper
    expect(statuses).toEqual(Object.values(own))
  })
})
