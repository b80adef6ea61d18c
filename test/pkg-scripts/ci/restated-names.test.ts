import { expect, test } from 'vitest'
import { parseRestatedNames } from '../../../pkg-scripts/ci/restated-names.ts'

test('a comment whose words are all in the name below it is found, in each kind of declaration', () => {
  const lines = [
    '/** Writes an entry. */',
    'export async function writeEntry(entry: Entry): Promise<void> {}',
    '/** The names of a family. */',
    'export type FamilyName = string',
    '/** One entry. */',
    'interface Entry {',
    '  /** The directories. */',
    '  readonly directory: readonly string[]',
    '  /** Whole seconds. */',
    '  readonly seconds: number',
    '}',
    '/** All of them. */',
    'export const kinds = []',
    'const table = {',
    '  /** The sign-in. */',
    "  'sign-in': '.signin',",
    '}',
  ]
  const found = parseRestatedNames(lines.join('\n'))
  expect(found.map(({ number, comment, name }) => `${number} ${name}: ${comment}`)).toEqual([
    '1 writeEntry: Writes an entry.',
    '3 FamilyName: The names of a family.',
    '5 Entry: One entry.',
    '7 directory: The directories.',
    '15 sign-in: The sign-in.',
  ])
})

test('a comment that adds a unit, a source or a case of absence is not found, nor one of several lines', () => {
  const lines = [
    '/** Writes an entry beside its target. */',
    'function writeEntry() {}',
    '/** RFC 8707. */',
    'const resource = 1',
    '/** `undefined` without a name. */',
    'let name: string | undefined',
    '/**',
    ' * The entry.',
    ' */',
    'const entry = 1',
    '/** The entry. */',
    '',
    'const entry = 1',
  ]
  expect(parseRestatedNames(lines.join('\n'))).toEqual([])
})
