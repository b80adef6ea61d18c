import { expect, test } from 'vitest'
import { commonOptions } from '../../../src/helper/options/every-helper-options.ts'
import { type OptionRow, renderPlaceholder } from '../../../src/helper/options/option-table.ts'
import { listVariables, toVariable } from '../../../src/helper/options/option-value.ts'

const row = (parts: Partial<OptionRow>): OptionRow => ({ value: 'text', summary: '', ...parts })

test.each([
  ['profile', 'GATEPASS_PROFILE'],
  ['client-ttl', 'GATEPASS_CLIENT_TTL'],
  ['a-b-c', 'GATEPASS_A_B_C'],
])('the option %s has the variable %s', (option, variable) => {
  expect(toVariable(option)).toBe(variable)
})

test.each<[parts: Partial<OptionRow>, variables: string[]]>([
  [{}, ['GATEPASS_REGION']],
  [{ variables: ['AWS_REGION', 'AWS_DEFAULT_REGION'] }, ['GATEPASS_REGION', 'AWS_REGION', 'AWS_DEFAULT_REGION']],
  [{ only: 'command line', variables: ['AWS_REGION'] }, []],
])('a row with %j is set by the variables %j', (parts, variables) => {
  expect(listVariables('region', row(parts))).toEqual(variables)
})

test.each<[value: OptionRow['value'], placeholder: string]>([
  ['text', 'TEXT'],
  ['path', 'PATH'],
  ['seconds', 'SECONDS'],
  ['number', 'NUMBER'],
  ['boolean', 'true|false'],
  ['instant', 'DATE'],
  ['list', 'TEXT'],
  ['flag', ''],
  [['disk', 'none'], 'disk|none'],
])('a value that is %j is written %j in help', (value, placeholder) => {
  expect(renderPlaceholder(row({ value }))).toBe(placeholder)
})

test('the common options have the defaults of the client', () => {
  const defaults = Object.entries(commonOptions).map(([name, common]) => [name, (common as OptionRow).default])
  expect(Object.fromEntries(defaults)).toEqual({
    'client-ttl': 3600,
    'client-timeout': 60,
    header: undefined,
    format: 'json',
    'no-headers': undefined,
    'for-host': undefined,
    'git-username': undefined,
    cache: 'disk',
    'renew-early': 25,
    explain: undefined,
    help: undefined,
    version: undefined,
  })
})
