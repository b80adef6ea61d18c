import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { OptionTable } from '../../../src/helper/options/option-table.ts'
import type { OptionValue } from '../../../src/helper/options/option-value.ts'
import { describeOptionOrigin, readOptions, resolveOptions } from '../../../src/helper/options/resolve-options.ts'
import { HelperError } from '../../../src/runtime/failure.ts'
import { setNameSource } from '../../../src/vendor/setting.ts'

interface Places {
  readonly locked?: OptionValue
  readonly argument?: OptionValue
  readonly own?: string
  readonly others?: readonly [first: string | undefined, second: string | undefined]
  readonly user?: OptionValue
  readonly machine?: OptionValue
}

const region: OptionTable = {
  region: { value: 'text', summary: '', default: 'default', variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] },
}

/** Resolves the one option of `table` with what each place says of it, and describes the place that counts. */
function resolve(
  table: OptionTable,
  { locked, argument, own, others = [undefined, undefined], user, machine }: Places,
) {
  const name = Object.keys(table)[0]!
  const values = (value: OptionValue | undefined) => new Map(value === undefined ? [] : [[name, value]])
  const [AWS_REGION, AWS_DEFAULT_REGION] = others
  const { value, origin } = resolveOptions('tool', table, {
    arguments: values(argument),
    env: { [`GATEPASS_${name.toUpperCase()}`]: own, AWS_REGION, AWS_DEFAULT_REGION },
    user: { path: '/user.json', values: values(user), locked: new Set() },
    machine: { path: '/machine.json', values: values(locked ?? machine), locked: new Set(locked ? [name] : []) },
  }).get(name)!
  return { value, origin: describeOptionOrigin(origin) }
}

const everywhere: Places = {
  argument: 'argument',
  own: 'own',
  others: ['first', 'second'],
  user: 'user',
  machine: 'machine',
}

test.each<[places: Places, value: string, origin: string]>([
  [{ ...everywhere, locked: 'locked' }, 'locked', 'locked by /machine.json'],
  [everywhere, 'argument', 'argument'],
  [{ own: 'own', others: ['first', 'second'], user: 'user', machine: 'machine' }, 'own', 'variable GATEPASS_REGION'],
  [{ others: ['first', 'second'], user: 'user', machine: 'machine' }, 'first', 'variable AWS_REGION'],
  [{ others: [undefined, 'second'], user: 'user', machine: 'machine' }, 'second', 'variable AWS_DEFAULT_REGION'],
  [{ own: '', others: ['', 'second'], user: 'user' }, 'second', 'variable AWS_DEFAULT_REGION'],
  [{ user: 'user', machine: 'machine' }, 'user', '/user.json'],
  [{ machine: 'machine' }, 'machine', '/machine.json'],
  [{}, 'default', 'default'],
])('among %j, %s counts: %s', (places, value, origin) => {
  expect(resolve(region, places)).toEqual({ value, origin })
})

test('a locked option ignores a variable that cannot even be read', () => {
  const table: OptionTable = { ttl: { value: 'seconds', summary: '' } }
  expect(resolve(table, { locked: 60, own: 'soon' })).toEqual({ value: 60, origin: 'locked by /machine.json' })
})

test.each<[value: 'text' | 'flag' | 'list', empty: OptionValue | undefined]>([
  ['text', undefined],
  ['flag', false],
  ['list', []],
])('a %s that nobody sets is %j', (value, empty) => {
  expect(resolve({ it: { value, summary: '' } }, {})).toEqual({ value: empty, origin: 'default' })
})

test('false and an empty list, set on purpose, count before a later location', () => {
  expect(resolve({ it: { value: 'flag', summary: '' } }, { own: 'false', user: true })).toEqual({
    origin: 'variable GATEPASS_IT',
    value: false,
  })
  expect(resolve({ it: { value: 'list', summary: '' } }, { user: [], machine: ['A: 1'] })).toEqual({
    origin: '/user.json',
    value: [],
  })
})

test('an option for the command line alone is not read from the environment', () => {
  const table: OptionTable = { explain: { value: 'flag', summary: '', only: 'command line' } }
  expect(resolve(table, { own: 'true' })).toEqual({ value: false, origin: 'default' })
})

test('every variable that cannot be read is named at once, and no value is repeated', () => {
  const table: OptionTable = {
    ttl: { value: 'seconds', summary: '' },
    fine: { value: 'text', summary: '' },
    file: { value: 'path', summary: '', variables: ['OTHER_FILE'] },
  }
  const none = { path: '', values: new Map(), locked: new Set<string>() }
  const env = { GATEPASS_TTL: 'sk-1', GATEPASS_FINE: 'x', OTHER_FILE: 'sk-2' }
  const run = () => resolveOptions('tool', table, { arguments: new Map(), env, user: none, machine: none })
  expect(run).toThrow(
    new HelperError(
      'usage',
      'GATEPASS_TTL: expected a whole number of seconds; OTHER_FILE: expected an absolute path, or one that begins with ~/',
      'correct the environment, or see: tool --help',
    ),
  )
})

const unreadable = 'cannot read <machine>/tool.json (EISDIR)'

test.each([
  ['link status', 'ENOENT', 'default'],
  ['link status', 'EACCES', unreadable],
  ['status', 'ENOENT', unreadable],
] as const)(
  'after a look (%s) for the directory that ended with %s, the option is: %s',
  async (kind, code, expected) => {
    const home = mkdtempSync(join(tmpdir(), 'options '))
    const machineDirectory = join(home, 'machine')
    onTestFinished(() => {
      setNameSource({ from: 'build', looks: [] })
      rmSync(home, { recursive: true })
    })
    // A directory in place of the file cannot be read, whoever runs this.
    mkdirSync(join(machineDirectory, 'tool.json'), { recursive: true })
    const found = Object.assign(new Error('made up'), { code })
    setNameSource({ from: 'build', looks: [{ path: machineDirectory, kind, found }] })
    const host = { env: {}, home, platform: process.platform, machineDirectory }
    const result = await readOptions(host, 'tool', region).then(
      (resolved) => resolved.get('region')?.value,
      (error: HelperError) => error.message.replace(machineDirectory, '<machine>'),
    )
    expect(result).toBe(expected)
  },
)
