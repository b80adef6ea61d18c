import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../pkg-scripts/tree.ts'
import { exitStatus } from '../../src/runtime/failure.ts'
import { runHere } from './run-here.ts'

const page = readFileSync(join(root, 'docs', 'exit-status.md'), 'utf8')

const { stdout } = await runHere(['--help'], 200)
const statusMeanings = [...stdout.matchAll(/^ {2}(\d+) +(\S.*)$/gm)].map(([, status, meaning]) => [
  Number(status),
  meaning,
])

test('the page has every status once, with the meaning that the help of the program gives it', () => {
  const rows = [...page.matchAll(/^\| (\d+) \| ([^|]*) \|/gm)].map(([, status, meaning]) => [Number(status), meaning])
  expect(rows).toEqual(statusMeanings)
})

const statuses = statusMeanings.map(([status]) => status)

test('every kind of failure has a row', () => {
  expect(Object.values(exitStatus).filter((status) => !statuses.includes(status))).toEqual([])
})

test('no status has two rows', () => {
  expect([...new Set(statuses)]).toEqual(statuses)
})

test.each(['config check', 'api', 'gateway keys list', 'cache clear'])(
  'the help of %s leads to the table in the help of the program',
  async (command) => {
    const { stdout } = await runHere([...command.split(' '), '--help'])
    expect(stdout.match(/^.*exit status.*$/gm)).toEqual(['All exit statuses: gatepass --help'])
  },
)
