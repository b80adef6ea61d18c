import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openidSuite, tables } from './openid-suite.ts'
import type { ToldLie, ToldLies } from './told-lie.ts'

/** The test file that runs each table of lies. */
const runs: Readonly<Record<keyof typeof tables, string>> = {
  idTokenLies: 'id-token-lies.test.ts',
  callbackLies: 'other-lies.slow.test.ts',
  metadataLies: 'other-lies.slow.test.ts',
  renewalLies: 'later-lies.slow.test.ts',
}

const shown = Object.entries(openidSuite).flatMap(([name, row]) => (typeof row === 'string' ? [] : [[name, row]]))

test('the table has the 57 client tests of the suite, of which 25 apply', () => {
  expect([Object.keys(openidSuite).length, shown.length]).toEqual([57, 25])
})

test('every client test that applies is run', () => {
  expect(Object.fromEntries(shown.filter(([, row]) => !findLie(row as object)))).toEqual({})
})

test('every table is run, each row as a test of its own', () => {
  const isRun = ([table, file]: readonly string[]) =>
    new RegExp(`(describeLies|toRows)\\(${table}\\)`).test(readFileSync(join(import.meta.dirname, file!), 'utf8'))
  expect(Object.entries(runs).filter((row) => !isRun(row))).toEqual([])
})

test('a message that the suite calls invalid, mismatched or missing is refused, and any other one succeeds', () => {
  const shown = Object.entries(openidSuite).filter(([, row]) => typeof row !== 'string')
  const refused = shown.filter(([, row]) => findLie(row as object)?.says).map(([name]) => name)
  const bad = /invalid|mismatch|missing|sig-none|kid-absent-multiple|error/
  expect(refused).toEqual(shown.map(([name]) => name).filter((name) => bad.test(name)))
})

function findLie(row: object): ToldLie | undefined {
  const [[table, name]] = Object.entries(row) as [[keyof typeof tables, string]] // of one member, by its type
  return (tables[table] as ToldLies)[name]
}
