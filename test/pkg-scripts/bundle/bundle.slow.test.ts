import { readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliCompressSync } from 'node:zlib'
import { execa } from 'execa'
import { describe, expect, test } from 'vitest'
import { type Bundle, bundle } from '../../../pkg-scripts/bundle/bundle.ts'
import { createHelperProgram } from '../../../pkg-scripts/bundle/programs.ts'
import { listPackages, renderAnalysis } from '../../../pkg-scripts/bundle/render-analysis.ts'
import { renderFile } from '../../../pkg-scripts/bundle/render-file.ts'
import { listHelpers, toBundlePath } from '../../../pkg-scripts/tree.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { copyTree } from '../../executables/made-up-tree.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { writeAwsDirectory } from '../../stand-ins/aws/aws-directory.ts'

const bundles = new Map<string, Promise<Bundle>>()

/** Returns the bundle of a helper, which is built once for all tests that only read it. */
function bundleOnce(name: string): Promise<Bundle> {
  const built = bundles.get(name) ?? bundle(createHelperProgram(name))
  bundles.set(name, built)
  return built
}

/** Files of ours that are in a bundle. */
async function sourcesIn(name: string, tree?: string): Promise<string[]> {
  const { metafile } = await (tree === undefined ? bundleOnce(name) : bundle(createHelperProgram(name), { tree }))
  return Object.values(metafile.outputs)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter((path) => !path.includes('node_modules'))
}

/** In bytes: the code of every module, without what joins them and what is compiled ahead. */
async function sizeOf(name: string, isCounted = (_path: string) => true): Promise<number> {
  const { metafile } = await bundleOnce(name)
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return parts.reduce((total, [path, { bytesInOutput }]) => total + (isCounted(path) ? bytesInOutput : 0), 0)
}

describe('a helper’s bundle', () => {
  test.each(listHelpers())('%s holds no other helper', async (name) => {
    const helpers = (await sourcesIn(name)).filter((path) => path.startsWith('helpers/'))
    expect(helpers).toEqual([`helpers/${name}.ts`])
  })

  test('is built for a new helper file, and holds no source of another helper', async () => {
    const tree = await copyTree('two-helpers', { 'made-up': { prints: '1' } })
    expect(listHelpers(tree)).toEqual([...listHelpers(), 'made-up'].sort())
    const sources = await sourcesIn('made-up', tree)
    expect(sources.filter((path) => path.includes('made-up'))).toEqual([
      'helpers/made-up.ts',
      'made-up.entry.ts',
      'src/made-up/made-up.ts',
    ])
    // The keychain may seal the cache of any helper.
    expect(sources.filter((path) => /^src\/sources\/(?!keychain\/)/.test(path))).toEqual([])
    expect((await sourcesIn('aws-bedrock-token', tree)).filter((path) => path.includes('made-up'))).toEqual([])
  })

  test.each(listHelpers())(
    '%s is at most 600 KB of code, without code that is compiled ahead and the AWS SDK',
    async (name) => {
      expect(await sizeOf(name, (path) => !/^node_modules\/(@aws|@aws-sdk|@smithy)\//.test(path))).toBeLessThan(600_000)
    },
  )

  test('aws-bedrock-token holds the AWS SDK in pieces that few calls need, which are compressed to at most 120 KB', async () => {
    const { packed, metafile } = await bundleOnce('aws-bedrock-token')
    const ofSdk = /^node_modules\/@aws-sdk\/(credential-provider|nested-clients|token-providers)/
    const holders = Object.entries(metafile.outputs).filter(([, { inputs }]) =>
      Object.entries(inputs).some(([path, { bytesInOutput }]) => bytesInOutput > 0 && ofSdk.test(path)),
    )
    const names = holders.map(([path]) => basename(path))
    expect(names.length).toBeGreaterThan(5)
    expect(names.filter((name) => !packed.rare.has(name))).toEqual([])
    const code = [...packed.late].filter(([name]) => packed.rare.has(name)).map(([, text]) => text)
    expect(brotliCompressSync(code.join('')).length).toBeLessThan(120_000)
    expect((await sourcesIn('api-key')).filter((path) => ofSdk.test(path))).toEqual([])
  })

  test('oidc-token is at most 333 KB of code, without the pieces that only some calls use', async () => {
    const shared =
      /^src\/(sources\/keychain\/|helper\/(formats|memo|record)\/|contract\/(output-|exec-credential)|vendor\/|outcomes\/|runtime\/machine\/)/
    expect(await sizeOf('oidc-token', (path) => !shared.test(path))).toBeLessThan(333_000)
  })

  test.each(listHelpers())('%s holds nothing that gatepass doctor alone calls', async (name) => {
    expect((await sourcesIn(name)).filter((path) => /^src\/.*\/diagnose-[\w-]+\.ts$/.test(path))).toEqual([])
  })

  test('oidc-token holds the library for OpenID once, in a piece that only requests load, and none for keys and JWTs', async () => {
    const { metafile } = await bundleOnce('oidc-token')
    const pieces = Object.entries(metafile.outputs).map(([name, { inputs, imports }]) => ({
      name,
      imports: imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => path),
      libraries: Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
        bytesInOutput > 0 ? (/node_modules\/(openid-client|oauth4webapi|jose)\//.exec(path)?.[1] ?? []) : [],
      ),
    }))
    const held = pieces.filter(({ libraries }) => libraries.length > 0)
    expect(held.map(({ libraries }) => libraries.toSorted())).toEqual([['oauth4webapi', 'openid-client']])
    const atOnce = new Set(pieces.map(({ name }) => name).filter((name) => name.endsWith('stdin.js')))
    expect(atOnce.size).toBe(1)
    for (const name of atOnce)
      for (const path of pieces.find((piece) => piece.name === name)?.imports ?? []) atOnce.add(path)
    expect(atOnce.has(held[0]?.name ?? '')).toBe(false)
  })

  test('is the same every time', async () => {
    const [first = ''] = listHelpers()
    const twice = await Promise.all([0, 1].map(() => bundle(createHelperProgram(first))))
    const [one, other] = await Promise.all(twice.map(({ packed }) => renderFile(packed, true)))
    expect(one).toBe(other)
  })
})

test('an AWS call without network and one from the cache load no slow module of the runtime', async () => {
  const home = await temporaryDirectory()
  const env = {
    HOME: home,
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: 'eu-central-1',
    ...toContextVariables('background'),
  }
  const hook = join(home, 'hook.cjs')
  await writeFile(hook, tellLoaded)
  const run = async (helper: string, ...argv: string[]) => {
    const args = ['--require', hook, toBundlePath(helper), ...argv]
    return (await execa(process.execPath, args, { env, extendEnv: false, stdin: 'ignore' })).stderr
  }
  for (const helper of ['aws-bedrock-token', 'aws-caller-identity']) {
    const argv = helper === 'aws-caller-identity' ? ['--audience', 'a', '--client-ttl', '600'] : []
    // The first call of all makes the directory in which it is noted who was handed a token.
    await run(helper, ...argv, '--cache', 'none')
    expect([helper, await run(helper, ...argv, '--cache', 'none')]).toEqual([helper, 'vm os'])
    await run(helper, ...argv)
    expect([helper, await run(helper, ...argv)]).toEqual([helper, 'vm os'])
  }
})

test('a call that a memo answers loads no slow module of the runtime', async () => {
  const home = await temporaryDirectory()
  const { environment } = await writeAwsDirectory(home, {
    config: { 'profile dev': { region: 'eu-central-1' } },
    credentials: { dev: { aws_access_key_id: 'AKIAEXAMPLE', aws_secret_access_key: 'secret' } },
  })
  const env = { ...environment, HOME: home, AWS_PROFILE: 'dev', ...toContextVariables('background') }
  const hook = join(home, 'hook.cjs')
  await writeFile(hook, tellLoaded)
  const args = ['--require', hook, toBundlePath('aws-bedrock-token')]
  const run = () => execa(process.execPath, args, { env, extendEnv: false, stdin: 'ignore' })
  await sleep(2100) // then no file is too new for a memo
  for (const _ of ['minted', 'cached']) await run()
  expect((await readdir(join(home, '.cache/gatepass'))).filter((name) => name.endsWith('.memo')).length).toBe(1)
  expect((await run()).stderr).toBe('vm os')
})

/** Writes at the end which public modules of the runtime were loaded since the start. */
const tellLoaded = `const before = new Set(process.moduleLoadList)
process.on('exit', () => {
  const loaded = process.moduleLoadList.filter((name) => !before.has(name)).map((name) => name.split(' '))
  const names = loaded.filter(([kind, name]) => kind === 'NativeModule' && !name.startsWith('internal/'))
  require('node:fs').writeSync(2, names.map(([, name]) => name).join(' '))
})`

describe('code that is compiled ahead', () => {
  /** Says whether the loader hands V8 compiled code, with these changes to the process. */
  const runWatched = async (changes: string) => {
    const hook = join(await temporaryDirectory(), 'hook.cjs')
    const watch = `const vm = require('node:vm'), { Script } = vm
      vm.Script = class extends Script { constructor(code, options) {
        process.stderr.write(options.cachedData ? 'compiled\\n' : 'source\\n'); super(code, options) } }`
    await writeFile(hook, `${watch}\n${changes}`)
    const { stderr } = await execa(
      process.execPath,
      ['--require', hook, toBundlePath(listHelpers()[0]!), '--unknown'],
      {
        reject: false,
      },
    )
    return stderr.split('\n')[0]
  }

  test('is used only by the runtime that made it', async () => {
    const other = (name: string) => `Object.defineProperty(process, '${name}', { value: 'another' })`
    expect(await Promise.all(['', other('version'), other('arch'), other('platform')].map(runWatched))).toEqual([
      'compiled',
      ...['source', 'source', 'source'],
    ])
  })
})

test('an analysis lists packages and folders, the largest first', () => {
  const input = (bytesInOutput: number) => ({ bytesInOutput })
  const inputs = {
    'src/a/one.ts': input(5),
    'src/a/two.ts': input(6),
    'node_modules/@scope/name/index.js': input(300),
    '../../node_modules/outer/node_modules/inner/x.js': input(20),
    'src/b/gone.ts': input(0),
  }
  const metafile = { inputs: {}, outputs: { 'one.js': { bytes: 0, inputs, imports: [], exports: [] } } }
  expect(renderAnalysis({ name: 'example', metafile })).toBe(
    'example\n      300  @scope/name\n       20  inner\n       11  src/a\n',
  )
  expect(listPackages({ metafile })).toEqual([
    '../../node_modules/outer/node_modules/inner',
    'node_modules/@scope/name',
  ])
})

// A library in CommonJS, which a bundle imports in another manner than Node does.
test('gatepass asks Redis from its bundle', async () => {
  const policy = join(await temporaryDirectory(), 'policy.json')
  await writeFile(policy, '{ "rules": [] }', { mode: 0o600 })
  const argv = ['gateway', 'verifier', '--policy', policy, '--listen', '127.0.0.1:0', '--redis', 'redis://127.0.0.1:1']
  const verifier = execa(process.execPath, [toBundlePath('gatepass'), ...argv], { reject: false, timeout: 20_000 })
  for await (const line of verifier.iterable({ from: 'stderr' }))
    if (line.includes('"redis-unavailable"')) verifier.kill()
  const log = (await verifier).stderr.split('\n').filter((line) => line.includes('"redis-unavailable"'))
  expect(log.map((line) => JSON.parse(line).message)).toEqual(['Redis at 127.0.0.1:1 cannot be reached (ECONNREFUSED)'])
})
