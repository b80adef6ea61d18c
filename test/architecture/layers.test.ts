import { describe, expect, test } from 'vitest'
import { listHelpers } from '../../pkg-scripts/tree.ts'
import { parse, product, type SourceFile, scripts, targetsOf } from './source-files.ts'

/**
 * Who may import whom, from DESIGN.md; its own files every layer may import. `types of` a layer are gone when the
 * program runs. The sentence is what a test says when a line is missing here or one too many is in the code.
 */
const layers: Readonly<Record<string, { mayImport: readonly string[]; sentence: string }>> = {
  vendor: { mayImport: [], sentence: 'the vendor setting stands on nothing' },
  version: { mayImport: [], sentence: 'the version stands on nothing' },
  contract: { mayImport: ['vendor'], sentence: 'the contract knows the vendor’s names and nothing else' },
  runtime: { mayImport: ['vendor', 'contract'], sentence: 'the runtime knows no helper, source or client' },
  config: { mayImport: ['ground'], sentence: 'the configuration document stands on the ground' },
  api: { mayImport: ['ground'], sentence: 'the HTTP API stands on the ground' },
  helper: {
    mayImport: ['ground', 'sources/keychain'],
    sentence: 'the run of a helper knows no source of tokens, and the keychain whose key may seal its cache',
  },
  sources: {
    mayImport: ['ground', 'api', 'types of helper'],
    sentence: 'a source knows the ground, the token exchange and the types that a helper is declared with',
  },
  helpers: {
    mayImport: ['ground', 'helper', 'sources'],
    sentence: 'a helper declares: a run, its sources and what a small one needs of the ground, no other helper',
  },
  client: {
    mayImport: ['ground', 'config', 'api', 'sources/oauth'],
    sentence: 'the client knows the document, the API and the sign-ins it does itself, and no helper',
  },
  gateway: { mayImport: ['ground', 'types of api'], sentence: 'the gateway answers the API without its client' },
  verify: { mayImport: ['ground'], sentence: 'a verifier stands on the ground, for it runs beside gateways' },
  library: {
    mayImport: ['ground', 'client', 'api', 'verify'],
    sentence: 'the library names what the client, the API and the verifier define',
  },
  suite: { mayImport: ['ground', 'helper'], sentence: 'the executable with every helper chooses one and runs it' },
  cli: { mayImport: ['everything'], sentence: 'the command may use everything' },
}

const ground = ['vendor', 'version', 'contract', 'runtime']

describe('imports', () => {
  test('every file belongs to a layer that this test knows', () => {
    expect(product.map(({ path }) => path).filter((path) => layers[layerOf(path)] === undefined)).toEqual([])
    expect(product.length).toBeGreaterThan(listHelpers().length)
  })

  test.each(Object.entries(layers).map(([layer, rule]) => ({ layer, ...rule })))(
    '$layer: $sentence',
    ({ layer, mayImport }) => {
      const found = product.filter(({ path }) => layerOf(path) === layer).flatMap((file) => findUpward(file, mayImport))
      expect(found).toEqual([])
    },
  )

  test('a file of ours is imported by its own name, with its ending', () => {
    const foreign = /^(node:[a-z0-9_/]+|@?[a-z][\w-]*(\/[\w.-]+)*)$/
    const odd = [...product, ...scripts].flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) =>
          specifier.startsWith('.') ? !/\.(ts|json)$/.test(specifier) : !foreign.test(specifier),
        )
        .map(({ specifier }) => `${path} imports ${specifier}`),
    )
    expect(odd).toEqual([])
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
  expect(findUpward(parse('helpers/a.ts', "import b from './b.ts'"), ['helper'])).toEqual([
    'helpers/a.ts → helpers/b.ts',
  ])
})

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
