import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { publint } from 'publint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareRuntime } from '../../pkg-scripts/executable/prepare-runtime.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { version } from '../../src/version.ts'
import { olderRuntimes } from '../executables/older-runtimes.ts'
import { startStage } from '../gateway/stage.ts'
import { prints, runExecutable } from '../setup/run-program.ts'
import { readExample } from './write-project.ts'

const run = promisify(execFile)

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'gatepass package '))
  await run('npm', ['pack', '--pack-destination', directory], { cwd: root })
})
afterAll(() => rm(directory, { recursive: true, force: true }))

test('the package needs no other package', async () => {
  const { stdout } = await run('tar', ['-xOf', join(directory, `gatepass-${version}.tgz`), 'package/package.json'])
  const { private: isPrivate, dependencies, optionalDependencies, bundleDependencies } = JSON.parse(stdout)
  expect({ isPrivate, dependencies, optionalDependencies, bundleDependencies }).toEqual({ isPrivate: true })
})

test('the modules of the package contain nothing of the project but its version', async () => {
  const { stdout } = await run(
    'tar',
    ['-xOf', join(directory, `gatepass-${version}.tgz`), '--wildcards', 'package/*.js'],
    {
      maxBuffer: 2 ** 26,
    },
  )
  expect(stdout.match(/devDependencies/g)).toEqual(null)
})

test('publint finds nothing in the package', async () => {
  const tarball = await readFile(join(directory, `gatepass-${version}.tgz`))
  const { messages } = await publint({ pack: { tarball: tarball.buffer }, strict: true })
  expect(messages).toEqual([])
})

describe.each([olderRuntimes.linux, olderRuntimes.longTermSupport])(
  'with Node $version, in a project of its own',
  (runtime) => {
    let project: string
    let env: Record<string, string>

    beforeAll(async () => {
      project = join(directory, `project-${runtime.version}`)
      const node = dirname(await prepareRuntime(runtime))
      // npm itself runs on the Node that is found first.
      const npm = dirname((await run('sh', ['-c', 'command -v npm'])).stdout.trim())
      env = { PATH: [node, npm, '/usr/bin', '/bin'].join(':'), HOME: project }
      await mkdir(project)
      await writeFile(join(project, 'package.json'), '{ "type": "module" }')
      const argv = ['install', '--offline', '--no-audit', '--no-fund', '--engine-strict', `../gatepass-${version}.tgz`]
      expect(await runExecutable(join(npm, 'npm'), { argv, env, cwd: project, timeoutMs: 120_000 })).toEqual(
        prints(expect.stringContaining('added 1 package in ')),
      )
      await writeFile(join(project, 'client.ts'), await readExample('client-library.md'))
      await writeFile(join(project, 'api.ts'), await readExample('api.md'))
      await writeFile(join(project, 'verify.ts'), await readExample('gateways/verifier.md'))
      const typeRoots = [join(root, 'node_modules', '@types')]
      const common = { strict: true, target: 'es2024', types: ['node'], typeRoots, rootDir: '.' }
      const compilerOptions = { ...common, module: 'nodenext' }
      const bundled = { ...common, module: 'preserve', moduleResolution: 'bundler', noEmit: true }
      await writeFile(join(project, 'bundled.json'), JSON.stringify({ compilerOptions: bundled, include: ['*.ts'] }))
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }))
    })

    const runNode = (...argv: string[]) =>
      runExecutable('/usr/bin/env', { argv: ['node', ...argv], env: { ...env, VENDOR_API_KEY: key }, cwd: project })
    let key = ''

    test('holds one package, with one command', async () => {
      expect(await readdir(join(project, 'node_modules'))).toEqual(['.bin', '.package-lock.json', 'gatepass'])
      expect(await readdir(join(project, 'node_modules', '.bin'))).toEqual(['gatepass'])
    })

    test('the command checks a helper', async () => {
      // For its user alone and in no other file, because the check finds a token that stands in a file for everybody.
      await writeFile(join(project, 'x'), `#!/bin/sh\necho ${randomUUID()}\n`, { mode: 0o700 })
      const argv = ['npx', 'gatepass', 'check-helper', './x']
      const { status, stdout } = await runExecutable('/usr/bin/env', { argv, env, cwd: project, timeoutMs: 240_000 })
      expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringContaining('exit-status') })
    })

    test('the examples of the documentation are typed and run', async () => {
      const compile = (config: string) =>
        run(join(root, 'node_modules/.bin/tsc'), ['-p', join(project, config)]).catch(({ stdout }) => ({ stdout }))
      expect([(await compile('tsconfig.json')).stdout, (await compile('bundled.json')).stdout]).toEqual(['', ''])
      expect(await runNode('client.js')).toEqual({ status: 0, stdout: 'rescued: true\n', stderr: '' })
      expect(await runNode('verify.js')).toMatchObject({ status: 0, stderr: '' })
      const { url, seed } = await startStage()
      key = seed.keys.personal.secret.reveal()
      expect(await runNode('api.js', url, seed.session)).toEqual({ status: 0, stdout: 'main\n', stderr: '' })
      const required = "const { Secret } = require('gatepass/api'); console.log(String(new Secret('s')))"
      await writeFile(join(project, 'required.cjs'), required)
      expect(await runNode('--no-warnings', 'required.cjs')).toEqual({ status: 0, stdout: '[secret]\n', stderr: '' })
    })

    test('the bundled examples do the same, and a policy gets the same findings', async () => {
      const policy = `import { parsePolicy } from 'gatepass/verify'
        console.log(JSON.stringify(parsePolicy(Buffer.from('{"issuers": 3, "rules": []}')).findings))`
      await writeFile(join(project, 'policy.js'), policy)
      const { url, seed } = await startStage()
      key = seed.keys.personal.secret.reveal()
      for (const [name, ...argv] of [['client'], ['verify'], ['api', url, seed.session], ['policy']]) {
        await bundleFor(project, { in: `${name}.js`, out: `${name}.js` })
        const [bundled, plain] = [await runNode(`bundles/${name}.js`, ...argv), await runNode(`${name}.js`, ...argv)]
        if (name === 'policy') expect(plain.stdout).toContain('"path":"issuers"')
        expect({ name, ...bundled }).toEqual({ name, ...plain, status: 0 })
      }
    })

    test.each([
      ['Secret', 'api', 4],
      ['ApiError', 'api', 16],
      ['createApi', 'api', 120],
      ['TokenRefusal', 'verify', 8],
      ['createVerifier', 'verify', 140],
      ['startClient', 'client', 480],
    ])('a bundle of %s alone, of gatepass/%s, has at most %i KiB', async (name, door, most) => {
      await writeFile(join(project, 'one.js'), `import { ${name} } from 'gatepass/${door}'\nconsole.log(${name})\n`)
      await bundleFor(project, { in: 'one.js', out: 'one.js' })
      expect((await stat(join(project, 'bundles', 'one.js'))).size / 1024).toBeLessThan(most)
    })
  },
)

/** Bundles a program as the users of the library do. */
async function bundleFor(project: string, file: { in: string; out: string }): Promise<void> {
  const { warnings } = await build({
    absWorkingDir: project,
    entryPoints: [file.in],
    outdir: 'bundles',
    entryNames: file.out.replace('.js', ''),
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  expect(warnings).toEqual([])
}
