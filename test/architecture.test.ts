import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { transformSync } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { helperNames, root } from '../pkg-scripts/tree.ts'

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
  helper: { mayImport: ['ground'], sentence: 'the run of a helper knows no source' },
  sources: {
    mayImport: ['ground', 'api', 'types of helper'],
    sentence: 'a source knows the ground, the token exchange and the types that a helper is declared with',
  },
  helpers: { mayImport: ['helper', 'sources'], sentence: 'a helper declares: a run and its sources, no other helper' },
  client: {
    mayImport: ['ground', 'config', 'api', 'sources/oauth'],
    sentence: 'the client knows the document, the API and the sign-ins it does itself, and no helper',
  },
  gateway: { mayImport: ['ground', 'types of api'], sentence: 'the gateway answers the API without its client' },
  library: { mayImport: ['client'], sentence: 'the library names what the client defines' },
  suite: { mayImport: ['ground', 'helper'], sentence: 'the executable with every helper chooses one and runs it' },
  cli: { mayImport: ['everything'], sentence: 'the command may use everything' },
}

const ground = ['vendor', 'version', 'contract', 'runtime']

/** Where a token comes out of its wrapping, and why it has to there. */
const reveals: Readonly<Record<string, string>> = {
  'src/runtime/secret.ts': 'defines it',
  'src/helper/run/answer-call.ts': 'renders stdout',
  'src/helper/cache/entry.ts': 'writes the cache',
  'src/runtime/network/connect/find-proxy.ts': 'reads the URL of the proxy',
  'src/runtime/network/connect/tunnel.ts': 'proves to the proxy who asks',
  'src/sources/aws/bedrock-token.ts': 'signs the token',
  'src/sources/aws/credentials/roles.ts': 'signs the request to STS',
  'src/sources/aws/credentials/sso.ts': 'authorizes the request to SSO',
  'src/api/request/send-request.ts': 'authorizes the request to the API',
  'src/api/request/secrets-of-request.ts': 'keeps what was sent out of what is shown',
  'src/api/token-exchange.ts': 'sends the assertion',
  'src/cli/doctor/exchange.ts': 'reads what an identity token says of itself',
  'src/cli/doctor/rules.ts': 'verifies an identity token as the stand-in does',
  'src/cli/gateway/secrets.ts': 'hands out what the stand-in has just made, once',
  'src/gateway/federation/token-exchange.ts': 'answers with the token that it issues',
  'src/sources/identity/ask-web.ts': 'authorizes the request for an identity token',
  'src/sources/exchange/describe-refusal.ts': 'recognizes an identity token that an answer repeats',
  'src/sources/exchange/exchange-once.ts': 'makes the digest by which a used identity token is known',
  'src/sources/aws/web-identity-token.ts': 'signs the request to STS',
  'src/sources/exchange/mint-workload-token.ts': 'reads what an identity token says of itself',
  'src/client/turn/turn-headers.ts': 'authorizes the turn',
  'src/client/simulation/stage/simulated-world.ts': 'tells a gateway of our own what was printed',
  'src/client/doctor/examine-credential.ts': 'keeps it out of what is shown',
}

interface Import {
  readonly specifier: string
  readonly kind: 'value' | 'type'
}

interface SourceFile {
  readonly path: string
  readonly text: string
  /** The program without types and comments. */
  readonly code: string
  readonly imports: readonly Import[]
}

const product = read('{src,helpers}/**/*.ts')
const scripts = read('pkg-scripts/**/*.ts')
const tests = read('test/**/*.ts')
const named = (path: string) => product.find((file) => file.path === path)

describe('imports', () => {
  test('every file belongs to a layer that this test knows', () => {
    expect(product.map(({ path }) => path).filter((path) => layers[layerOf(path)] === undefined)).toEqual([])
    expect(product.length).toBeGreaterThan(helperNames().length)
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

describe('the world is an argument', () => {
  const outermost = (path: string) => path === 'src/runtime/host.ts' || path.startsWith('src/cli/')

  test('only the host and the command touch `process`', () => {
    const found = product.filter(
      (file) => !outermost(file.path) && (uses(file, 'process') || imports(file, /^(node:)?process$/)),
    )
    expect(found.map(({ path }) => path)).toEqual([])
    expect(uses(named('src/runtime/host.ts')!, 'process')).toBe(true)
  })

  test('only the command and the scripts print through `console`', () => {
    const found = product.filter((file) => !file.path.startsWith('src/cli/') && uses(file, 'console'))
    expect(found.map(({ path }) => path)).toEqual([])
    expect(scripts.some((file) => uses(file, 'console'))).toBe(true)
  })
})

test('a helper is a declaration of under 60 lines', () => {
  const long = product.filter(({ path, text }) => layerOf(path) === 'helpers' && text.split('\n').length > 60)
  expect(long.map(({ path }) => path)).toEqual([])
})

test('helpers lie beside each other, because the folder is the list', () => {
  const files = product.filter(({ path }) => layerOf(path) === 'helpers').map(({ path }) => path)
  expect(files).toEqual(helperNames().map((name) => `helpers/${name}.ts`))
})

test('default exports are for helpers, and for the tools that ask for one', () => {
  const found = [...product, ...scripts, ...tests].filter(({ code }) =>
    /^export (default\b|\{[^}]*\bas default\b)/m.test(code),
  )
  const paths = found.map(({ path }) => path)
  expect(paths).toEqual([...helperNames().map((name) => `helpers/${name}.ts`), 'test/setup/build-once.ts'])
})

test('a secret is revealed in places that can be counted', () => {
  const found = product.filter(({ code }) => /\breveal\b/.test(code)).map(({ path }) => path)
  expect(found.sort()).toEqual(Object.keys(reveals).sort())
})

test('every file is named in kebab-case for its concept, and none gathers what has no name', () => {
  const paths = [...product, ...scripts].map(({ path }) => path)
  expect(paths.filter((path) => !/^([a-z0-9-]+\/)+[a-z0-9-]+\.ts$/.test(path))).toEqual([])
  expect(paths.filter((path) => /(^|[/-])(utils?|common|misc|manager|service|index)[.-]/.test(path))).toEqual([])
})

/** The rules are only as good as the eyes of this test. */
describe('this test sees', () => {
  const file = parse(
    'src/client/example.ts',
    `import { a } from './a.ts'
import type { B } from '../helper/b.ts'
import {
  type C,
  type D,
} from '../gateway/c.ts'
import { type E, f } from '../cli/e.ts'
import './effect.ts'
export * from './g.ts'
export type { H } from "./h.ts"
// import { no } from './comment.ts'; process.exit(); console.log()
const text = 'process.exit() console.log()'
type I = import('./i.ts').I
const later = async () => (await import('./j.ts')).k
const local = (process: { argv: string[] }) => process.argv
export const used = [a, f, text, later, local]
export interface T extends B, C, D, E, I {}
`,
  )

  test('every form of import, and whether it is only of types', () => {
    expect(file.imports).toEqual([
      { specifier: './a.ts', kind: 'value' },
      { specifier: '../helper/b.ts', kind: 'type' },
      { specifier: '../gateway/c.ts', kind: 'type' },
      { specifier: '../cli/e.ts', kind: 'value' },
      { specifier: './effect.ts', kind: 'value' },
      { specifier: './g.ts', kind: 'value' },
      { specifier: './h.ts', kind: 'type' },
      { specifier: './i.ts', kind: 'type' },
      { specifier: './j.ts', kind: 'value' },
    ])
  })

  test('what goes upward', () => {
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

  test('a global that is used, and neither a comment, a text nor a parameter of its name', () => {
    expect([uses(file, 'process'), uses(file, 'console')]).toEqual([false, false])
    expect(uses(parse('x.ts', 'export const a = () => process.pid'), 'process')).toBe(true)
    expect(uses(parse('x.ts', 'export const a = globalThis.process.pid'), 'process')).toBe(true)
    expect(uses(parse('x.ts', 'console.log(1)'), 'console')).toBe(true)
  })
})

function read(pattern: string): SourceFile[] {
  const paths = globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return paths.sort().map((path) => parse(path, readFileSync(join(root, path), 'utf8')))
}

function parse(path: string, text: string): SourceFile {
  return { path, text, code: transformSync(text, { loader: 'ts' }).code, imports: importsIn(text) }
}

/** By pattern, because types are gone after every transformation; an import begins its line. */
function importsIn(text: string): Import[] {
  const declarations = /^(?:import|export)\s(?<what>[^'"`;=()]*?)\s?from\s['"](?<from>[^'"]+)['"]/gm
  const effects = /^import\s['"](?<from>[^'"]+)['"]/gm
  const calls = /(?<before>^|[^\n]*?)\bimport\(\s*['"](?<from>[^'"]+)['"]\s*\)/gm
  const found = [...text.matchAll(declarations), ...text.matchAll(effects), ...text.matchAll(calls)]
  return found
    .sort((a, b) => a.index - b.index)
    .filter(({ groups }) => !groups?.before?.includes('//'))
    .map(({ groups }) => ({ specifier: groups!.from!, kind: isOfTypes(groups!) ? 'type' : 'value' }))
}

function isOfTypes({ what, before }: Record<string, string | undefined>): boolean {
  if (before !== undefined) return /^\s*(export )?type\s/.test(before) || /[:<|&]\s*(typeof )?$/.test(before)
  if (what === undefined) return false
  const names = /^\{(.*)\}$/s
    .exec(what.trim())?.[1]
    ?.split(',')
    .filter((name) => name.trim() !== '')
  return what.startsWith('type ') || (names?.every((name) => /^\s*type\s/.test(name)) ?? false)
}

/** `src/sources/aws/credentials/roles.ts` → `sources`; `src/vendor.json` → `vendor`; `package.json`, which holds it, → `version`. */
function layerOf(path: string): string {
  if (path === 'package.json') return 'version'
  const [first = '', second = ''] = path.split('/')
  return first === 'src' ? second.replace(/\.(ts|json)$/, '') : first
}

function targetsOf({ path, imports }: SourceFile) {
  return imports
    .filter(({ specifier }) => specifier.startsWith('.'))
    .map(({ specifier, kind }) => ({ target: resolve(path, specifier), kind }))
}

function resolve(path: string, specifier: string): string {
  return relative(root, join(root, dirname(path), specifier)).replaceAll('\\', '/')
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

function imports({ imports }: SourceFile, pattern: RegExp): boolean {
  return imports.some(({ specifier }) => pattern.test(specifier))
}

/** Whether the program reads a global; the bundler knows what is in scope. */
function uses({ text }: SourceFile, global: 'process' | 'console'): boolean {
  const define = { [global]: 'seen_by_this_test', [`globalThis.${global}`]: 'seen_by_this_test' }
  return transformSync(text, { loader: 'ts', define }).code.includes('seen_by_this_test')
}
