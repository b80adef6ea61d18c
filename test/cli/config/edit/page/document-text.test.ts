import { describe, expect, test } from 'vitest'
import {
  addChange,
  changeValue,
  createHistory,
  decodeManaged,
  endStep,
  findWritten,
  mergeTexts,
  parseObjectText,
  restoreFuture,
  restorePast,
  type TextHistory,
} from '../../../../../src/cli/config/edit/page/document-text.ts'

const native = (...keys: string[]) => ({ keys, encoding: 'native' }) as const
const managed = (...keys: string[]) => ({ keys, encoding: 'managed' }) as const

describe('a value is changed in the text alone', () => {
  test.each([
    {
      fact: 'comments, order and indentation stay',
      text: '{\n    // ours\n    "b": 1, /* two */\n    "a": { "c": 2 }\n}\n',
      place: native('a', 'c'),
      value: 3,
      changed: '{\n    // ours\n    "b": 1, /* two */\n    "a": { "c": 3 }\n}\n',
    },
    {
      fact: 'a new value is indented as the others are',
      text: '{\n\t"a": {\n\t\t"b": 1\n\t}\n}\n',
      place: native('a', 'c'),
      value: 'x',
      changed: '{\n\t"a": {\n\t\t"b": 1,\n\t\t"c": "x"\n\t}\n}\n',
    },
    {
      fact: 'line ends of Windows stay',
      text: '{\r\n  "a": 1\r\n}\r\n',
      place: native('b'),
      value: true,
      changed: '{\r\n  "a": 1,\r\n  "b": true\r\n}\r\n',
    },
    {
      fact: 'a text on one line stays on one line',
      text: '{"a":1}',
      place: native('b', 'c'),
      value: 2,
      changed: '{"a":1,"b": {"c":2}}',
    },
    {
      fact: 'missing objects are made',
      text: '{\n  "inference": {}\n}\n',
      place: native('inference', 'credential', 'kind'),
      value: 'static',
      changed: '{\n  "inference": {\n    "credential": {\n      "kind": "static"\n    }\n  }\n}\n',
    },
    {
      fact: 'an object goes with its last value',
      text: '{\n  "inference": {\n    "credential": {\n      "oidc": {\n        "clientId": "x"\n      }\n    }\n  }\n}\n',
      place: native('inference', 'credential', 'oidc', 'clientId'),
      value: undefined,
      changed: '{\n  "inference": {\n  }\n}\n',
    },
    {
      fact: 'the last of several equal keys is changed, and the others go',
      text: '{\n  "a": 1,\n  "b": 0,\n  "a": 2\n}\n',
      place: native('a'),
      value: 3,
      changed: '{\n  "b": 0,\n  "a": 3\n}\n',
    },
    {
      fact: 'all of several equal keys are removed',
      text: '{"a":1,"a":2,"b":3}',
      place: native('a'),
      value: undefined,
      changed: '{"b":3}',
    },
    {
      fact: 'a list on one line stays there, with its blanks',
      text: '{\n  "args": ["a", "b"]\n}\n',
      place: native('args'),
      value: ['a', 'b c', 'd'],
      changed: '{\n  "args": ["a", "b c", "d"]\n}\n',
    },
    {
      fact: 'an object on one line stays there, with its blanks',
      text: '{\n  "headers": { "x": "a" }\n}\n',
      place: native('headers'),
      value: { y: 'a, b', z: '{ }' },
      changed: '{\n  "headers": { "y": "a, b", "z": "{ }" }\n}\n',
    },
    {
      fact: 'a list on several lines stays on several',
      text: '{\n  "args": [\n    "a"\n  ]\n}\n',
      place: native('args'),
      value: ['a', 'b'],
      changed: '{\n  "args": [\n    "a",\n    "b"\n  ]\n}\n',
    },
    {
      fact: 'managed values are text',
      text: '{\n  "ttl": "60"\n}\n',
      place: managed('ttl'),
      value: 61,
      changed: '{\n  "ttl": "61"\n}\n',
    },
    {
      fact: 'an object in managed text is changed inside that text',
      text: '{\n  "oidc": "{\\"clientId\\":\\"x\\"}"\n}\n',
      place: managed('oidc', 'issuer'),
      value: 'https://id.example.com',
      changed: '{\n  "oidc": "{\\"clientId\\":\\"x\\",\\"issuer\\": \\"https://id.example.com\\"}"\n}\n',
    },
    {
      fact: 'an object in managed text goes with its last value',
      text: '{\n  "a": "1",\n  "oidc": "{\\"clientId\\":\\"x\\"}"\n}\n',
      place: managed('oidc', 'clientId'),
      value: undefined,
      changed: '{\n  "a": "1"\n}\n',
    },
  ])('$fact', ({ text, place, value, changed }) => {
    const result = changeValue(text, place, value)
    expect(result).toBe(changed)
    expect(findWritten(parseObjectText(result), place)).toEqual(
      place.encoding === 'managed' && place.keys.length === 1 && value !== undefined ? JSON.stringify(value) : value,
    )
  })

  test('a value inside a number is not changed', () => {
    expect(() => changeValue('{"a": 1}', native('a', 'b'), 2)).toThrow()
  })
})

test('managed text stands for its JSON, or for itself where it is not JSON', () => {
  const decoded = [decodeManaged('60'), decodeManaged('["a"]'), decodeManaged('True'), decodeManaged(60)]
  expect(decoded).toEqual([60, ['a'], 'True', 60])
})

test.each(['', '[]', '1', '{"a": }', '{"a": 1', 'null'])('%o holds no object', (text) => {
  expect(parseObjectText(text)).toBeUndefined()
})

describe('changes of two programs are merged', () => {
  const base = '{\n  "a": 1,\n  "b": { "c": 2, "d": 3 }\n}\n'

  test('value by value, in the text of the other program', () => {
    const mine = '{ "a": 9, "b": { "c": 2 } }'
    const theirs = '{\n  // new\n  "a": 1,\n  "b": { "c": 7, "d": 3 },\n  "e": true\n}\n'
    expect(mergeTexts(base, mine, theirs)).toEqual({
      text: '{\n  // new\n  "a": 9,\n  "b": { "c": 7 },\n  "e": true\n}\n',
      conflicts: [],
    })
  })

  test('a value that both have changed is taken from the page, and is named', () => {
    const merged = mergeTexts(base, '{ "a": 1, "b": { "c": 5, "d": 3 } }', '{ "a": 1, "b": { "c": 6, "d": 3 } }')
    expect(merged).toEqual({ text: '{ "a": 1, "b": { "c": 5, "d": 3 } }', conflicts: ['b.c'] })
  })

  test('a value inside an object that the other program took away is a conflict', () => {
    const merged = mergeTexts(base, '{"a":1,"b":{"c":5,"d":3}}', '{"a":1}')
    expect(merged).toEqual({ text: '{"a":1,"b": {"c":5}}', conflicts: ['b.c'] })
  })

  test('the same change by both programs is no conflict', () => {
    const both = '{ "a": 4, "b": { "c": 2, "d": 3 } }'
    expect(mergeTexts(base, both, both)).toEqual({ text: both, conflicts: [] })
  })

  test('a broken text is not merged', () => {
    expect(mergeTexts(base, '{', base)).toBeUndefined()
  })

  test('a new file has no conflicts', () => {
    expect(mergeTexts('', '{"a":1}', '{"b":2}')).toEqual({ text: '{"b":2,"a": 1}', conflicts: [] })
  })
})

describe('undo', () => {
  const type = (history: TextHistory, texts: readonly string[], step: string) =>
    texts.reduce((now, text) => addChange(now, text, step), history)

  test('takes back what was typed into one field in one step', () => {
    const typed = type(type(createHistory(''), ['a', 'ab'], 'one'), ['abc'], 'two')
    const once = restorePast(typed)
    const twice = restorePast(once)
    expect([typed.text, once.text, twice.text, restorePast(twice).text]).toEqual(['abc', 'ab', '', ''])
    expect([restoreFuture(twice).text, restoreFuture(restoreFuture(twice)).text]).toEqual(['ab', 'abc'])
  })

  test('ends a step when its field is left', () => {
    const typed = type(endStep(type(createHistory(''), ['a'], 'one')), ['ab'], 'one')
    expect(restorePast(typed).text).toBe('a')
  })

  test('forgets what was undone when something new is done', () => {
    const history = addChange(restorePast(type(createHistory(''), ['a'], '')), 'b', '')
    expect(restoreFuture(history)).toEqual(history)
    expect(addChange(history, 'b', 'one')).toBe(history)
  })
})
