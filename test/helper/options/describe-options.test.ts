import { expect, test } from 'vitest'
import type { ResolvedOption } from '../../../src/helper/options/option-files.ts'
import { describeOptions } from '../../../src/helper/options/resolve-options.ts'

test.each<[value: ResolvedOption['value'], lines: readonly string[]]>([
  ['dev', ['name = dev (argument)']],
  [3600, ['name = 3600 (argument)']],
  [0, ['name = 0 (argument)']],
  [true, ['name = true (argument)']],
  [false, ['name = false (argument)']],
  [undefined, []],
  [[], []],
  [['X-Key: canary', 'X-Team: a'], ['name = 2 given (argument)']],
  ['http://dana:canary@proxy.example:3128', ['name = http://…@proxy.example:3128 (argument)']],
  ['HTTP://dana:canary@proxy.example', ['name = HTTP://…@proxy.example (argument)']],
  ['dana:canary@proxy.example:3128', ['name = …@proxy.example:3128 (argument)']],
  ['https://id.example/token?key=canary', ['name = https://id.example/token?… (argument)']],
  ['https://id.example/token#canary\nmore', ['name = https://id.example/token?… (argument)']],
  ['sk-vendor-api01-canary0123456789', ['name = [secret] (argument)']],
  ['/home/dana@work/ca.pem', ['name = /home/dana@work/ca.pem (argument)']],
])('%j is described without what may be secret', (value, lines) => {
  expect(describeOptions(new Map([['name', { value, origin: { from: 'argument' } }]]))).toEqual(lines)
})

test('a flag that nobody has set is left out', () => {
  expect(describeOptions(new Map([['explain', { value: false, origin: { from: 'default' } }]]))).toEqual([])
})
