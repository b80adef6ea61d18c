import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { start } from '../../../pkg-scripts/bundle/loader/start-packed.ts'

/** Runs code as a packed program does, with the modules of the runtime that it asks for. */
function runPacked(body: string): unknown {
  const seen: { value?: unknown } = {}
  const code = `(require) => ({ './entry': { start: (seen) => { ${body} } } })`
  const store = {
    entry: 'entry',
    joint: {},
    readEarly: () => ({ code, cache: undefined }),
    readLate: () => ({ code, cache: undefined }),
  }
  start(store, createRequire(import.meta.url), seen)
  return seen.value
}

// CommonJS libraries do it, that of Redis among them.
test('a packed program can extend and call a module of the runtime that is itself a class', () => {
  const body = `
    const EventEmitter = require('node:events')
    class Client extends EventEmitter {}
    const client = new Client()
    client.once('ready', (word) => { seen.value = [word, client instanceof EventEmitter, client instanceof Client] })
    client.emit('ready', 'yes')`
  expect(runPacked(body)).toEqual(['yes', true, true])
  expect(runPacked(`require('node:assert')(true); seen.value = typeof new (require('node:stream'))().pipe`)).toBe(
    'function',
  )
})

test('a packed program finds no name in a module of the runtime before it uses one', () => {
  expect(
    runPacked(
      `const os = require('node:os'); seen.value = [Object.getOwnPropertyNames(os), os.default, typeof os.homedir()]`,
    ),
  ).toEqual([[], undefined, 'string'])
})

test('chunks of one late piece are loaded together, when the first of them is imported', () => {
  const seen: { value?: unknown } = {}
  const loads: string[] = []
  const body = `seen.value = [require('./a').name, require('./b').name, require('./a') === require('./a'), require('./c').name]`
  const pieces: Record<string, string> = {
    both: `() => ({ './a': { name: 'a' }, './b': { name: 'b' } })`,
    c: `() => ({ name: 'c' })`,
  }
  const store = {
    entry: 'entry',
    joint: { a: 'both', b: 'both' },
    readEarly: () => ({
      code: `(require) => ({ './entry': { start: (seen) => { ${body} } } })`,
      cache: undefined,
    }),
    readLate: (name: string) => {
      loads.push(name)
      return { code: pieces[name]!, cache: undefined }
    },
  }
  start(store, createRequire(import.meta.url), seen)
  expect({ loads, value: seen.value }).toEqual({ loads: ['both', 'c'], value: ['a', 'b', true, 'c'] })
})
