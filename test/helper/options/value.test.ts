import { expect, test } from 'vitest'
import type { OptionRow } from '../../../src/helper/options/table.ts'
import { type ParsedOption, parseOptionJson, parseOptionText } from '../../../src/helper/options/value.ts'

const row = (value: OptionRow['value'], bounds: Partial<OptionRow> = {}): OptionRow => ({
  value,
  summary: '',
  ...bounds,
})
const choice = row(['disk', 'none'])
const problem = (text: string) => ({ problem: text })
const value = (read: Extract<ParsedOption, { value: unknown }>['value']) => ({ value: read })

const noDate = 'expected a date such as 2026-01-15 or 2026-01-15T12:00:00Z'

test.each<[row: OptionRow, text: string, parsed: ParsedOption]>([
  [row('text'), 'dev', value('dev')],
  [row('text'), ' a b ', value(' a b ')],
  [row('text'), '', problem('expected a text, found an empty one')],
  [row('text'), ' ', problem('expected a text, found an empty one')],
  [row('text', { maxLength: 2 }), 'ab', value('ab')],
  [row('text', { maxLength: 2 }), 'a\u{1f511}', problem('expected at most 2 characters')],
  [row('text'), 'a\0b', problem('expected a text without NUL')],
  [row('path'), '/a/b c', value('/a/b c')],
  [row('path'), 'a/b', problem('expected an absolute path, or one that begins with ~/')],
  [row('path'), './a', problem('expected an absolute path, or one that begins with ~/')],
  [row('path'), '~/a', value('~/a')],
  [row('path'), '~a', problem('expected an absolute path, or one that begins with ~/')],
  [row('path'), '', problem('expected a text, found an empty one')],
  [row('path'), '/a\0', problem('expected a text without NUL')],
  [choice, 'none', value('none')],
  [choice, 'None', problem('expected one of disk, none')],
  [choice, '', problem('expected a text, found an empty one')],
  [row('seconds'), '0', value(0)],
  [row('seconds'), '3600', value(3600)],
  [row('seconds'), '-1', problem('expected a whole number of seconds')],
  [row('seconds'), '1.5', problem('expected a whole number of seconds')],
  [row('seconds'), '1e3', problem('expected a whole number of seconds')],
  [row('seconds'), ' 1', problem('expected a whole number of seconds')],
  [row('seconds'), '1h', problem('expected a whole number of seconds')],
  [row('seconds'), '', problem('expected a whole number of seconds')],
  [row('seconds'), '9'.repeat(30), problem('expected at most 9007199254740991 seconds')],
  [row('seconds'), '9'.repeat(400), problem('expected a whole number of seconds')],
  [row('seconds', { min: 3 }), '2', problem('expected at least 3 seconds')],
  [row('seconds', { min: 3 }), '3', value(3)],
  [row('seconds', { max: 600 }), '600', value(600)],
  [row('seconds', { max: 600 }), '601', problem('expected at most 600 seconds')],
  [row('flag'), 'true', value(true)],
  [row('flag'), '1', value(true)],
  [row('flag'), 'false', value(false)],
  [row('flag'), '0', value(false)],
  [row('flag'), 'yes', problem('expected true or false')],
  [row('flag'), '', problem('expected true or false')],
  [row('list'), 'A: 1', value(['A: 1'])],
  [row('list'), 'A: 1\nB: 2\n', value(['A: 1', 'B: 2'])],
  [row('instant'), '2026-01-15', value('2026-01-15')],
  [row('instant'), '2026-01-15T12:00Z', value('2026-01-15T12:00Z')],
  [row('instant'), '2026-01-15T12:00:00.5+05:30', value('2026-01-15T12:00:00.5+05:30')],
  [row('instant'), '2026-01-15T12:00:00', problem(noDate)],
  [row('instant'), '2026-01-15T12:00:00.123Z', value('2026-01-15T12:00:00.123Z')],
  [row('instant'), '2026-01-15T12:00:00Z', value('2026-01-15T12:00:00Z')],
  [row('instant'), '2024-02-29', value('2024-02-29')],
  [row('instant'), 'x2026-01-15', problem(noDate)],
  [row('instant'), '2026-02-29', problem(noDate)],
  [row('instant'), '2026-02-31', problem(noDate)],
  [row('instant'), '2026-13-01', problem(noDate)],
  [row('instant'), '2026-01-15T25:00:00Z', problem(noDate)],
  [row('instant'), '2026-01-15 12:00:00Z', problem(noDate)],
  [row('instant'), '15.01.2026', problem(noDate)],
  [row('instant'), '1768478400', problem(noDate)],
  [row('instant'), 'now', problem(noDate)],
  [row('list'), '', value([])],
])('as text, %j reads %j as %j', (option, text, parsed) => {
  expect(parseOptionText(option, text)).toEqual(parsed)
})

test.each<[row: OptionRow, native: unknown, parsed: ParsedOption]>([
  [row('text'), 'dev', value('dev')],
  [row('text'), '', problem('expected a text, found an empty one')],
  [row('text'), 1, problem('expected a text, found a number')],
  [row('text'), null, problem('expected a text, found null')],
  [row('text'), ['a'], problem('expected a text, found a list')],
  [row('text'), {}, problem('expected a text, found an object')],
  [row('path'), 'a/b', problem('expected an absolute path, or one that begins with ~/')],
  [choice, 'memory', problem('expected one of disk, none')],
  [choice, true, problem('expected a text, found true or false')],
  [row('seconds'), 60, value(60)],
  [row('seconds'), 1.5, problem('expected a whole number of seconds')],
  [row('seconds'), -1, problem('expected at least 0 seconds')],
  [row('seconds'), 1e30, problem('expected at most 9007199254740991 seconds')],
  [row('seconds'), '60', problem('expected a whole number of seconds, found a text')],
  [row('seconds', { min: 61 }), 60, problem('expected at least 61 seconds')],
  [row('flag'), false, value(false)],
  [row('flag'), 'true', problem('expected true or false, found a text')],
  [row('flag'), 1, problem('expected true or false, found a number')],
  [row('list'), ['A: 1', 'B: 2'], value(['A: 1', 'B: 2'])],
  [row('list'), [], value([])],
  [row('list'), 'A: 1', problem('expected a list of texts, found a text')],
  [row('list'), ['A: 1', 1], problem('expected a list of texts, found a list')],
  [row('list'), { 0: 'A: 1' }, problem('expected a list of texts, found an object')],
])('from a file, %j reads %j as %j', (option, native, parsed) => {
  expect(parseOptionJson(option, native)).toEqual(parsed)
})
