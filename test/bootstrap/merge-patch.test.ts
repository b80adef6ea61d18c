import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyPatch, type JsonTree, toOrigins, toSortedValue, toTree } from '../../src/bootstrap/merge-patch.ts'
import { parseJsonText } from '../../src/runtime/values/json-text.ts'
import type { RawObject } from '../../src/runtime/values/json-value.ts'

function parseTree(text: string, file: string): JsonTree {
  const parsed = parseJsonText(text)
  if ('problem' in parsed) throw new Error(parsed.problem)
  return toTree(parsed.value as RawObject, file, parsed.positions)
}

function merge(target: object, patch: object): unknown {
  return toSortedValue(
    applyPatch(parseTree(JSON.stringify(target), 'a'), parseTree(JSON.stringify(patch), 'b'), () => {}),
  )
}

describe('a merge patch', () => {
  // RFC 7396, appendix A: the cases whose target and patch are objects.
  test.each([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [{ a: 'foo' }, { a: { b: null, c: 1 } }, { a: { c: 1 } }],
  ])('turns %j with %j into %j', (target, patch, expected) => {
    expect(merge(target, patch)).toEqual(expected)
  })

  test('gives the result of the pseudocode of the RFC for random objects', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom(null, 1, 'x', true),
        fc.array(fc.constantFrom(1, null)),
        tie('object'),
      ),
      object: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('any'), { noNullPrototype: true }),
    }))
    const object = value.object as fc.Arbitrary<Record<string, unknown>>
    fc.assert(
      fc.property(object, object, (target, patch) => {
        expect(merge(target, patch)).toEqual(mergeByTheRfc(target, patch))
      }),
    )
  })

  test('keeps of every value the file and line that it was written in', () => {
    const base = parseTree('{\n "a": {\n  "b": 1,\n  "c": [\n   1] } }', 'base.json')
    const patch = parseTree('{ "a": {\n "b": 2,\n "d": { "e": 3 } } }', 'eu.json')
    const origins = toOrigins(applyPatch(base, patch, () => {})).entries()
    expect([...origins].map(([path, { file, line }]) => `${path} ${file} ${line}`)).toEqual([
      'a base.json 2',
      'a.b eu.json 2',
      'a.c base.json 4',
      'a.d eu.json 3',
      'a.d.e eu.json 3',
    ])
  })
})

function mergeByTheRfc(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch
  const isMap = typeof target === 'object' && target !== null && !Array.isArray(target)
  const merged: Record<string, unknown> = isMap ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else merged[name] = mergeByTheRfc(merged[name], value)
  }
  return merged
}
