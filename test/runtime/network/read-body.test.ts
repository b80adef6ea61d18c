import { expect, test } from 'vitest'
import { HelperError } from '../../../src/runtime/failure.ts'
import { readBody } from '../../../src/runtime/network/bounded-body.ts'

const mebibyte = new Uint8Array(1024 * 1024).fill(120)

test('an answer of 1 MiB is read, in however many pieces', async () => {
  const pieces = Array.from({ length: 16 }, (_, index) => mebibyte.subarray(index * 65_536, (index + 1) * 65_536))
  expect((await readBody(pieces, 'id.example')).length).toBe(1_048_576)
})

test('an answer of a byte more is refused before the rest is read', async () => {
  let isReadOn = false
  const body = (function* () {
    yield mebibyte
    yield new Uint8Array(1)
    isReadOn = true
  })()
  await expect(readBody(body, 'id.example')).rejects.toEqual(
    new HelperError(
      'unavailable',
      'id.example answered with more than 1024 KiB',
      'find out what answers in place of id.example',
    ),
  )
  expect(isReadOn).toBe(false)
})
