import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from '../../src/runtime/secret.ts'

const text = 'sk-very-s3cret'
const secret = new Secret(text)

function printed(print: (console: Console) => void): string {
  let written = ''
  const sink = new Writable({
    write(chunk, _, done) {
      written += chunk
      done()
    },
  })
  print(new Console({ stdout: sink, stderr: sink }))
  return written
}

test('only reveal gives the value', () => {
  expect(secret.reveal()).toBe(text)
  expect(Reflect.ownKeys(secret)).toEqual([])
})

test.each<[how: string, shown: string]>([
  ['String()', String(secret)],
  ['a template', `${secret}`],
  ['toString', secret.toString()],
  ['a joined list', [secret].join()],
  ['inspect', inspect(secret)],
  ['format %s', format('%s', secret)],
  ['format without a place', format(secret)],
])('%s shows a placeholder', (_, shown) => {
  expect(shown).toBe('[secret]')
})

test('JSON shows a placeholder, at every depth', () => {
  expect(JSON.stringify({ token: secret, list: [secret] })).toBe('{"token":"[secret]","list":["[secret]"]}')
})

test.each<[how: string, shown: string]>([
  ['inside an object', inspect({ deep: { deeper: { deepest: [secret] } } }, { depth: null })],
  ['with hidden properties', inspect(secret, { showHidden: true, getters: true })],
  ['with its own rendering switched off', inspect(secret, { customInspect: false, showHidden: true, depth: null })],
  ['as a proxy', inspect(new Proxy({ secret }, {}), { showProxy: true })],
  ['in a map', inspect(new Map([[secret, secret]]))],
  ['as the cause of an error', inspect(new Error('failed', { cause: secret }))],
  ['as a property of an error', inspect(Object.assign(new Error('failed'), { secret }))],
  ['in an aggregate', inspect(new AggregateError([secret], 'failed'))],
  ['as the text of an error', inspect(new Error(secret as unknown as string))],
  ['by every placeholder of format', format('%s %d %i %f %j %o %O %c', ...Array(8).fill(secret))],
  ['as entries', JSON.stringify(Object.entries(secret))],
  ['spread', JSON.stringify({ ...secret })],
  ['as a number', String(Number(secret))],
])('a secret that is inspected %s does not show', (_, shown) => {
  expect(shown).not.toContain('s3cret')
})

test('no function of the console shows a secret', () => {
  const written = printed((console) => {
    console.log(secret, { secret })
    console.error('%s %o %O %j', secret, secret, secret, secret)
    console.dir(secret, { showHidden: true, depth: null })
    console.table([{ secret }])
    console.trace(secret)
    console.assert(false, secret)
    console.group(secret)
  })
  expect(written.match(/\[secret\]|s3cret/g)).toEqual(Array(10).fill('[secret]'))
})

test('a copy made for another thread carries nothing', () => {
  expect(inspect(structuredClone({ secret }), { showHidden: true })).not.toContain('s3cret')
})
