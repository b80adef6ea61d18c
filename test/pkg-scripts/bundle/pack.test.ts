import { runInNewContext } from 'node:vm'
import type { Metafile, OutputFile } from 'esbuild'
import { expect, test } from 'vitest'
import { packChunks } from '../../../pkg-scripts/bundle/pack.ts'

const text = `const dots = /[…•]/; export const start = (word) => dots.test(word) && 'ß'`
const output = { imports: [], exports: ['start'], inputs: {}, bytes: 0 }
const outputs: Metafile['outputs'] = {
  'start.js': { ...output, entryPoint: 'helpers.entry.ts' },
  'other.js': output,
}

// esbuild's charset leaves regular expressions out, and an executable reads its code byte by byte.
test('packed code is ASCII, and its regular expressions find what is not', async () => {
  const files = Object.keys(outputs).map((path) => ({ path, text }) as OutputFile)
  const { early, late } = await packChunks('gatepass', files, { inputs: {}, outputs })
  for (const code of [early, ...late.values()]) expect(code).toMatch(/^[\x20-\x7e\n]+$/)
  const { './start.js': start } = runInNewContext(early)()
  const { start: other } = runInNewContext(late.get('other.js')!)()
  expect([start.start('a…'), start.start('a'), other('a•')]).toEqual(['ß', false, 'ß'])
})
