import { describe, expect, test } from 'vitest'
import { importHelper, listHelpers } from '../../../pkg-scripts/tree.ts'
import { computeCacheKey, isPartOfKey } from '../../../src/helper/cache/store.ts'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import type { OptionRow, OptionTable } from '../../../src/helper/options/option-table.ts'

const table: OptionTable = {
  profile: { value: 'text', summary: '' },
  region: { value: 'text', summary: '' },
  header: { value: 'list', summary: '' },
  format: { value: ['json', 'token'], summary: '', cacheKey: 'excluded' },
}
type Parts = Parameters<typeof computeCacheKey>[0]

const parts: Parts = {
  program: 'tool',
  table,
  options: { profile: 'dev', region: 'eu-west-1', header: [], format: 'json' },
  inputs: { chain: ['a'] },
  vendor: { envPrefix: 'A', workspaceHeader: 'a', keyPrefix: 'a-', awsService: 'a' },
}
const key = computeCacheKey(parts)
const keyWith = (change: Partial<Parts>) => computeCacheKey({ ...parts, ...change })
const keyWithOption = (name: string, value: unknown) => keyWith({ options: { ...parts.options, [name]: value } })

test('a key is forty hexadecimal digits, whatever a user wrote', () => {
  const keys = [key, keyWithOption('profile', '../../etc/\0'), keyWith({ program: '../x' })]
  expect(keys.filter((text) => !/^[0-9a-f]{40}$/.test(text))).toEqual([])
})

test('the same inputs have the same key, in any order', () => {
  const reversed = (object: object) => Object.fromEntries(Object.entries(object).reverse())
  expect(keyWith({ table: reversed(table) as OptionTable, options: reversed(parts.options) })).toBe(key)
})

test('an option that does not change the answer does not change the key', () => {
  expect([keyWithOption('format', 'token'), keyWithOption('other', 'x')]).toEqual([key, key])
})

test.each<[what: string, other: string]>([
  ['another program', keyWith({ program: 'tool2' })],
  ['another option', keyWithOption('profile', 'prod')],
  ['an option that is not set', keyWithOption('profile', undefined)],
  ['an option that is empty', keyWithOption('profile', '')],
  ['values that changed places', keyWith({ options: { ...parts.options, profile: 'eu-west-1', region: 'dev' } })],
  ['a list', keyWithOption('header', ['A: 1'])],
  ['a list in another order', keyWithOption('header', ['B: 1', 'A: 1'])],
  ['the other order of that list', keyWithOption('header', ['A: 1', 'B: 1'])],
  ['a list whose items are joined', keyWithOption('header', ['A: 1,B: 1'])],
  ['other inputs', keyWith({ inputs: { chain: ['b'] } })],
  ['more inputs', keyWith({ inputs: { chain: ['a'], region: 'x' } })],
  ['no inputs', keyWith({ inputs: null })],
  ['another vendor', keyWith({ vendor: { ...parts.vendor, envPrefix: 'OTHER' } })],
])('%s has another key', (_, other) => {
  expect(other).not.toBe(key)
})

test('no two of many different inputs share a key', () => {
  const values = ['', 'a', 'b', '"', ',', 'null', undefined]
  const keys = values.flatMap((profile) =>
    values.flatMap((region) =>
      values.map((input) => keyWith({ options: { profile, region, header: [] }, inputs: { input: input ?? null } })),
    ),
  )
  expect(new Set(keys).size).toBe(values.length ** 3)
})

describe.each(listHelpers())('the key of %s', async (name) => {
  const helper = await importHelper(name)
  const all: OptionTable = { ...commonOptions, ...helper.options }
  const options = Object.fromEntries(Object.keys(all).map((option) => [option, sample(all[option]!, 'one')]))
  const whole = { program: name, table: all, options, inputs: {}, vendor: parts.vendor }
  const changed = (option: string) =>
    computeCacheKey({ ...whole, options: { ...options, [option]: sample(all[option]!, 'two') } })

  const rows = Object.entries(all)
  test.each(rows.filter(([, { cacheKey }]) => cacheKey !== 'excluded'))('changes with the option %s', (option) => {
    expect(changed(option)).not.toBe(computeCacheKey(whole))
  })

  test.each(rows.filter(([, { cacheKey }]) => cacheKey === 'excluded'))(
    'does not change with the option %s',
    (option) => {
      expect(changed(option)).toBe(computeCacheKey(whole))
    },
  )

  test('covers every option of the helper, except how a person signs in', () => {
    const own = Object.keys(helper.options).filter((option) => !isPartOfKey(helper.options, option))
    expect(own).toEqual(['sign-in', 'browser', 'sign-in-command'].filter((option) => option in helper.options))
  })
})

/** Returns a value of an option's kind; two samples differ. */
function sample({ value }: OptionRow, which: 'one' | 'two'): unknown {
  if (typeof value !== 'string') return which === 'one' ? value[0] : value[1]
  const samples = {
    text: ['a', 'b'],
    path: ['/a', '/b'],
    seconds: [60, 61],
    number: [60, 61],
    instant: ['2026-01-15', '2026-01-16'],
    flag: [false, true],
    boolean: [false, true],
    list: [[], ['A: 1']],
  }
  return samples[value][which === 'one' ? 0 : 1]
}
