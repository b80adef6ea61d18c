import { expect, test } from 'vitest'
import { readAnswer } from '../../src/api/read-answer.ts'
import { HelperError } from '../../src/runtime/failure.ts'

test('an answer of more than 64 MiB is refused before the rest is read', async () => {
  let pieces = 0
  const endless = new ReadableStream({
    pull: (controller) => {
      pieces += 1
      controller.enqueue(new Uint8Array(1024 * 1024))
    },
  })
  await expect(readAnswer(new Response(endless), String)).rejects.toEqual(
    new HelperError(
      'unavailable',
      'the API answered HTTP 200 (no content-type) with more than 65536 KiB',
      'ask for fewer items at a time, with a smaller limit',
    ),
  )
  expect(pieces).toBeLessThan(70)
})
