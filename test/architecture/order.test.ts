import { expect, test } from 'vitest'
import { product, scripts } from './source-files.ts'

test('a file begins with what it exports: a reader who opens it by its name sees that first', () => {
  const late = [...product, ...scripts].flatMap(({ path, text }) => {
    const above = text.slice(0, /^export (?!type |interface )/m.exec(text)?.index ?? 0)
    return [...above.matchAll(/^(?:async )?function\*? *(?<name>\w+)/gm)].map(
      ({ groups }) => `${path}: ${groups!.name}`,
    )
  })
  expect(late).toEqual([])
})
