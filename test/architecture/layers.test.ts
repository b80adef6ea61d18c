import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { parse, product, type SourceFile, scripts, targetsOf } from './source-files.ts'

/** The layers that each layer may import besides its own files, with the sentence in the title of its test. */
const layers = readLayers()

const ground = ['vendor', 'version', 'contract', 'runtime']

describe('imports', () => {
  test('every file belongs to a layer that this test knows', () => {
    const unknown = product.map(({ path }) => path).filter((path) => layers[layerOf(path)] === undefined)
    const isEachSeen = product.length > listHelpers().length
    expect({ unknown, isEachSeen }).toEqual({ unknown: [], isEachSeen: true })
  })

  test.each(Object.entries(layers).map(([layer, rule]) => ({ layer, ...rule })))(
    '$layer: $sentence',
    ({ layer, mayImport }) => {
      const found = product.filter(({ path }) => layerOf(path) === layer).flatMap((file) => findUpward(file, mayImport))
      expect(found).toEqual([])
    },
  )

  test('a file of the project is imported by its own name, with its ending', () => {
    const foreign = /^(node:[a-z0-9_/]+|@?[a-z][\w-]*(\/[\w.-]+)*)$/
    const odd = [...product, ...scripts].flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) =>
          specifier.startsWith('.') ? !/\.(tsx?|json)$/.test(specifier) : !foreign.test(specifier),
        )
        .map(({ specifier }) => `${path} imports ${specifier}`),
    )
    expect(odd).toEqual([])
  })

  test('a file names a module in one import', () => {
    const twice = [...product, ...scripts].flatMap(({ path, text }) => {
      const modules = [...text.matchAll(/^import [^'"]*from ['"]([^'"]+)['"]/gm)].map(([, specifier]) => specifier)
      return modules.filter((specifier, index) => modules.indexOf(specifier) < index).map((name) => `${path}: ${name}`)
    })
    expect(twice).toEqual([])
  })

  test('nothing that ships imports a test or a script', () => {
    const found = product.flatMap((file) =>
      targetsOf(file)
        .filter(({ target }) => /^(test|pkg-scripts)\//.test(target))
        .map(({ target }) => `${file.path} → ${target}`),
    )
    expect(found).toEqual([])
  })
})

test('an import that goes upward is found', () => {
  const text = [
    "import type { B } from '../helper/b.ts'",
    "import { type C } from '../gateway/c.ts'",
    "import { f } from '../cli/e.ts'",
  ]
  const file = parse('src/client/example.ts', text.join('\n'))
  expect(findUpward(file, layers.client!.mayImport)).toEqual([
    'src/client/example.ts → src/helper/b.ts',
    'src/client/example.ts → src/gateway/c.ts',
    'src/client/example.ts → src/cli/e.ts',
  ])
  expect(findUpward(file, ['types of helper', 'gateway', 'everything'])).toEqual([])
})

test('an import of one helper by another is found', () => {
  expect(findUpward(parse('helpers/a.ts', "import b from './b.ts'"), ['helper'])).toEqual([
    'helpers/a.ts → helpers/b.ts',
  ])
})

/** Reads the table of docs/architecture.md: a room, what it may import, and why. */
function readLayers(): Readonly<Record<string, { mayImport: readonly string[]; sentence: string }>> {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const section = page.split('## Who may import whom\n')[1]!.split('\n## ')[0]!
  const rows = [...section.matchAll(/^\| `(?<room>\w+)` \| (?<allowed>.+) \| (?<sentence>.+) \|$/gm)]
  const parseAllowed = (text: string) => text.replaceAll('`', '').replace('the ground', 'ground').split(', ')
  return Object.fromEntries(
    rows.map(({ groups }) => [
      groups!.room!,
      { mayImport: parseAllowed(groups!.allowed!), sentence: groups!.sentence! },
    ]),
  )
}

/** `src/sources/aws/credentials/roles.ts` → `sources`; `src/vendor.json` → `vendor`; `package.json`, which holds it, → `version`. */
function layerOf(path: string): string {
  if (path === 'package.json') return 'version'
  const [first = '', second = ''] = path.split('/')
  return first === 'src' ? second.replace(/\.(ts|json)$/, '') : first
}

function findUpward(file: SourceFile, mayImport: readonly string[]): string[] {
  const own = layerOf(file.path)
  const allowed = [
    ...(own === 'helpers' ? [] : [own]),
    ...mayImport.flatMap((name) => (name === 'ground' ? ground : name)),
  ]
  return targetsOf(file)
    .filter(({ target, kind }) => {
      const layer = layerOf(target)
      const names = [
        'everything',
        layer,
        target.split('/').slice(1, 3).join('/'),
        ...(kind === 'type' ? [`types of ${layer}`] : []),
      ]
      const isOutermost = layer === 'cli' && own !== 'cli' && !mayImport.includes('everything')
      return isOutermost || !names.some((name) => allowed.includes(name))
    })
    .map(({ target }) => `${file.path} → ${target}`)
}
