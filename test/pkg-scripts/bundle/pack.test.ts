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
test('packed code is ASCII, and its regular expressions find other characters', async () => {
  const files = Object.keys(outputs).map((path) => ({ path, text }) as OutputFile)
  const { early, late } = await packChunks('gatepass', files, { inputs: {}, outputs })
  expect([early, ...late.values()].filter((code) => !/^[\x20-\x7e\n]+$/.test(code))).toEqual([])
  const { './start.js': start } = runInNewContext(early)()
  const { start: other } = runInNewContext(late.get('other.js')!)()
  expect([start.start('a…'), start.start('a'), other('a•')]).toEqual(['ß', false, 'ß'])
})

// Chunks are split by files, so that a shared one also exports what only other parts of the program use.
test('a piece that answers alone leaves out code that only the rest of the program uses', async () => {
  const imports = [{ path: 'shared.js', kind: 'import-statement' as const }]
  const all: Metafile['outputs'] = {
    'start.js': { ...output, entryPoint: 'helpers.entry.ts' },
    'alone.js': { ...output, imports, exports: ['answer'], entryPoint: 'src/helper/memo/answer-from-memo.ts' },
    'shared.js': { ...output, exports: ['read', 'write'] },
  }
  const texts = {
    'start.js': text,
    'alone.js': `import { read } from './shared.js'; export const answer = () => read('memo')`,
    'shared.js': `export const read = (what) => 'read ' + what; export const write = (what) => 'write ' + what`,
  }
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }) as OutputFile)
  const { beginning } = await packChunks('api-key', files, { inputs: {}, outputs: all })
  const chunks = runInNewContext(beginning!.code)()
  const isWriteLeft = beginning?.code.includes('write ')
  expect([Object.keys(chunks), chunks['./alone.js'].answer(), isWriteLeft]).toEqual([
    ['./alone.js'],
    'read memo',
    false,
  ])
})

test('the chunks that a call without a cached token loads together are one piece, in which each is found by its name', async () => {
  const imports = [{ path: 'shared.js', kind: 'import-statement' as const }]
  const onUse = ['mint.js', 'note.js', 'other.js'].map((path) => ({ path, kind: 'dynamic-import' as const }))
  const all: Metafile['outputs'] = {
    'start.js': { ...output, imports: onUse, entryPoint: 'helpers.entry.ts' },
    'mint.js': { ...output, imports, exports: ['mint'], entryPoint: 'src/helper/mint/mint-under-lock.ts' },
    'note.js': { ...output, imports, exports: ['note'], entryPoint: 'src/helper/cache/record-hand-out.ts' },
    'shared.js': { ...output, exports: ['count'] },
    'other.js': { ...output, imports, exports: ['other'] },
  }
  const texts = {
    'start.js': text,
    'mint.js': `import { count } from './shared.js'; export const mint = () => 'mint ' + count()`,
    'note.js': `import { count } from './shared.js'; export const note = () => 'note ' + count()`,
    'shared.js': `let calls = 0; export const count = () => (calls += 1)`,
    'other.js': `import { count } from './shared.js'; export const other = () => 'other ' + count()`,
  }
  const files = Object.entries(texts).map(([path, text]) => ({ path, text }) as OutputFile)
  const { late, joint } = await packChunks('api-key', files, { inputs: {}, outputs: all })
  const loaded = new Map<string, Record<string, () => string>>()
  const load = (name: string): Record<string, () => string> => {
    const piece = joint.get(name)
    if (piece !== undefined)
      return (load(piece) as unknown as Record<string, Record<string, () => string>>)[`./${name}`]!
    const found = loaded.get(name) ?? runInNewContext(late.get(name)!)((id: string) => load(id.slice(2)))
    loaded.set(name, found)
    return found
  }
  expect({
    answers: [load('mint.js').mint!(), load('note.js').note!(), load('other.js').other!()],
    loaded: [...loaded.keys()].toSorted(),
    late: [...late.keys()].toSorted(),
  }).toEqual({
    answers: ['mint 1', 'note 2', 'other 3'],
    loaded: ['mint', 'other.js'],
    late: ['mint', 'other.js'],
  })
})
