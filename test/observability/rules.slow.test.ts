import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prints, runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { dashboards, listQueries, observability, ruleFiles } from './shipped-files.ts'

const run = (...argv: string[]) => runExecutable('/usr/bin/promtool', { argv, cwd: import.meta.dirname })

describe.each(Object.entries(ruleFiles))('%s', (file, rules) => {
  const promtoolFile = file.replace('.rules.', '.promtool.')

  test('is what Prometheus accepts', async () => {
    const path = join(observability, 'prometheus', file)
    expect(await run('check', 'rules', path)).toEqual(
      prints(`Checking ${path}\n  SUCCESS: ${rules.length} rules found\n\n`),
    )
  })

  test('has alerts that fire where they should, and nowhere else', async () => {
    expect(await run('test', 'rules', promtoolFile)).toEqual(prints(`Unit Testing:  ${promtoolFile}\n  SUCCESS\n\n`))
  })

  test('has only alerts that have a text and were seen to fire', () => {
    const tried = readFileSync(join(import.meta.dirname, promtoolFile), 'utf8')
    const alerts = rules.filter(({ alert }) => alert !== undefined)
    const untried = alerts.filter(({ alert }) => !tried.includes(`alertname="${alert}",alertstate="firing"`))
    const silent = alerts.filter(
      ({ labels, annotations }) =>
        !/^(critical|warning)$/.test(labels?.severity ?? '') || !annotations?.summary || !annotations.description,
    )
    expect({ untried, silent }).toEqual({ untried: [], silent: [] })
  })
})

test('every query of a panel is one that Prometheus parses', async () => {
  const path = join(await temporaryDirectory(), 'panels.yaml')
  const rules = listQueries().map(([where, expr], index) => ({ record: `panel:${index}`, expr, labels: { where } }))
  await writeFile(path, JSON.stringify({ groups: [{ name: 'panels', rules }] })) // JSON is YAML
  expect(await run('check', 'rules', path)).toEqual(
    prints(`Checking ${path}\n  SUCCESS: ${rules.length} rules found\n\n`),
  )
})

test('every dashboard has a name of its own, and no panel twice', () => {
  const all = Object.entries(dashboards)
  expect(all.map(([file, { uid }]) => [file, uid])).toEqual([
    ['configuration-server.json', 'gatepass-configuration-server'],
    ['helpers.json', 'gatepass-helpers'],
    ['verifier.json', 'gatepass-verifier'],
  ])
  const titles = all.flatMap(([file, { panels }]) => panels.map(({ title }) => `${file}: ${title}`))
  expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([])
})
