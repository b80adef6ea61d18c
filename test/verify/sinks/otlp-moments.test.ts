import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { openOtlpAudit } from '../../../src/verify/sinks/otlp-audit.ts'

/** Collects the lines that the collector gets if the second is written this many microtasks after it has answered to the first. */
async function collectLines(microtasks: number): Promise<string[]> {
  const lines: string[] = []
  const writeLater = async () => {
    for (let count = 0; count < microtasks; count++) await undefined
    audit.write('{"time":2}')
  }
  const audit = await openOtlpAudit({
    url: new URL('https://otel.example/v1/logs'),
    service: 'gatepass-verifier',
    readHeaders: async () => [],
    tellTrouble: (cause) => lines.push(cause),
    async fetch(_, { body }) {
      lines.push(...(String(body).match(/"timeUnixNano":"\d/g) ?? []))
      if (lines.length > 1) return new Response()
      return new Response(
        new ReadableStream({
          pull(controller) {
            controller.close()
            void writeLater()
          },
        }),
      )
    },
  })
  audit.write('{"time":1}')
  for (let turn = 0; turn < 10; turn++) await nextTurn()
  return lines
}

test('a line that is written while the last one is being confirmed does not wait for another', async () => {
  const counts = Array.from({ length: 60 }, (_, count) => count)
  const outcomes = await Promise.all(counts.map(collectLines))
  expect(outcomes).toEqual(counts.map(() => ['"timeUnixNano":"1', '"timeUnixNano":"2']))
})
