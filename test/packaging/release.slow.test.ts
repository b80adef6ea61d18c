import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { hostTarget, requireRuntime } from '../../pkg-scripts/executable/runtimes.ts'
import { debianArchitectures } from '../../pkg-scripts/release/linux/debian.ts'
import { listHelpers, root } from '../../pkg-scripts/tree.ts'
import { version } from '../../src/version.ts'
import { runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { comparedTargets, expectSmallFiles, locateRelease, writeRelease } from './written-release.ts'

/** RPM's names of architectures, by target. */
const rpmArchitectures: Readonly<Record<string, string>> = { 'linux-x64': 'x86_64', 'linux-arm64': 'aarch64' }

const run = promisify(execFile)
const published = locateRelease(hostTarget)
const [first = ''] = listHelpers()

for (const target of comparedTargets) beforeAll(() => writeRelease(target))

test('two archives, four packages, two of a service, an image, a bill of materials and the notices are published', async () => {
  expect((await readdir(published)).sort()).toEqual(
    [
      'THIRD-PARTY-NOTICES.txt',
      `gatepass-${version}.cdx.json`,
      `gatepass-${version}-${hostTarget}.oci.tar`,
      ...['verifier', 'configuration-server'].flatMap((name) => [
        `gatepass-${name}_${version}_all.deb`,
        `gatepass-${name}-${version}-1.noarch.rpm`,
      ]),
      ...['gatepass', 'gatepass-helpers'].flatMap((name) => [
        `${name}-${version}-${hostTarget}.tar.xz`,
        `${name}_${version}_${debianArchitectures[hostTarget]}.deb`,
        `${name}-${version}-1.${rpmArchitectures[hostTarget]}.rpm`,
      ]),
    ].sort(),
  )
})

test.each(comparedTargets)(
  'for %s every file is the same in every build, wherever in the world, and none is over 47 MB',
  async (target) => {
    const output = join(await temporaryDirectory(), 'published')
    const script = join(root, 'pkg-scripts', 'release', 'make-release.ts')
    const args = [script, '--target', target, '--compression', '0', '--output', output]
    await run(process.execPath, args, { cwd: '/', env: { ...process.env, TZ: 'Asia/Tokyo' } })
    const names = await readdir(locateRelease(target))
    for (const name of names) {
      const content = await readFile(join(locateRelease(target), name))
      expect((await readFile(join(output, name))).equals(content), name).toBe(true)
    }
    const { stdout } = await run('sha256sum', ['--check', 'SHA256SUMS'], { cwd: output })
    expect(stdout.match(/: OK$/gm)).toHaveLength(names.length)
    expect((await readdir(output)).sort()).toEqual([...names, 'SHA256SUMS'].sort())
    await expectSmallFiles(target)
    expect(names).toContainEqual(expect.stringMatching(`^gatepass-helpers-.*-${target}[.](zip|tar.xz)$`))
  },
)

test('the bill of materials names the runtime and every library with its licence', async () => {
  const { default: bill } = await import(join(published, `gatepass-${version}.cdx.json`), { with: { type: 'json' } })
  expect(bill).toMatchObject({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { name: 'gatepass', version } },
  })
  const components: { name: string; version: string; licenses: object[]; purl: string; properties?: unknown }[] =
    bill.components
  expect(components).toContainEqual(
    expect.objectContaining({ name: 'node', version: requireRuntime(hostTarget).version }),
  )
  const { properties }: { properties?: unknown } = components.find(({ name }) => name === 'node')!
  expect(properties).toEqual([
    { name: 'gatepass:runtime:origin:SHASUMS256.txt.asc', value: expect.stringMatching(/^(valid|absent): \S/) },
  ])
  expect(components.map(({ name }) => name)).toEqual(expect.arrayContaining(['@smithy/signature-v4', 'execa', 'hono']))
  expect(components.filter(({ licenses, purl }) => licenses.length !== 1 || !/^pkg:(npm|deb)\//.test(purl))).toEqual([])
})

test('the archive for administrators holds the helpers as well, for a tenth more bytes', async () => {
  const sizeOf = async (name: string) => (await stat(join(published, `${name}-${version}-${hostTarget}.tar.xz`))).size
  const directory = await temporaryDirectory()
  await run('tar', ['-xf', join(published, `gatepass-${version}-${hostTarget}.tar.xz`), '-C', directory])
  const sizes = { all: await sizeOf('gatepass'), helpers: await sizeOf('gatepass-helpers') }
  expect({
    isSmall: sizes.all < sizes.helpers * 1.1,
    folders: (await readdir(directory)).sort(),
    helpers: (await readdir(join(directory, `gatepass-helpers-${version}`))).sort(),
  }).toEqual({
    isSmall: true,
    folders: [`gatepass-${version}`, `gatepass-helpers-${version}`],
    helpers: ['THIRD-PARTY-NOTICES.txt', 'gatepass-helpers', 'install.sh', 'share'],
  })
})

test('the archive of the command holds every page, with its version', async () => {
  const directory = await temporaryDirectory()
  await run('tar', ['-xf', join(published, `gatepass-${version}-${hostTarget}.tar.xz`), '-C', directory])
  const folder = join(directory, `gatepass-${version}`)
  const pages = globSync(['README.md', 'SECURITY.md', 'docs/**/*.md'], { cwd: root }).sort()
  expect(globSync('**/*.md', { cwd: folder }).sort()).toEqual(pages)
  for (const page of pages) {
    const [title, ...rest] = (await readFile(join(root, page), 'utf8')).split('\n')
    const text = [title, '', `This page describes version ${version}.`, ...rest].join('\n')
    expect(await readFile(join(folder, page), 'utf8')).toBe(text)
  }
})

describe('the archive', () => {
  const unpack = async () => {
    const directory = await temporaryDirectory()
    await run('tar', ['-xf', join(published, `gatepass-helpers-${version}-${hostTarget}.tar.xz`), '-C', directory])
    return join(directory, `gatepass-helpers-${version}`)
  }
  const install = async (folder: string, prefix: string, ...more: string[]) =>
    runExecutable('/bin/sh', {
      argv: [join(folder, 'install.sh'), '--prefix', prefix, ...more],
      env: { PATH: '/usr/bin:/bin', GATEPASS_CONFIGURATION_DIRECTORY: join(prefix, '..', 'configuration') },
    })
  const done = { status: 0, stdout: '', stderr: '' }
  const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

  test('installs every name so that everybody can run it and only its owner can write it', async () => {
    const prefix = join(await temporaryDirectory(), 'opt')
    const outcome = await install(await unpack(), prefix)
    const paths = listHelpers().map((name) => join(prefix, name))
    const versions = await Promise.all(paths.map((path) => runExecutable(path, { argv: ['--version'] })))
    const folders = [prefix, join(prefix, 'versions'), join(prefix, '..', 'configuration')]
    expect({
      outcome,
      names: versions.map(({ status, stdout }) => [status, stdout.split(' ')[0]]),
      modes: new Set(await Promise.all([...paths, ...folders].map(modeOf))),
    }).toEqual({ outcome: done, names: listHelpers().map((name) => [0, name]), modes: new Set(['755']) })
  })

  test('an upgrade and a downgrade replace every name, by rename', async () => {
    const prefix = join(await temporaryDirectory(), 'opt')
    const folder = await unpack()
    await install(folder, prefix)
    const old = await stat(join(prefix, first))
    await run('sed', ['-i', `s/${version}/99.0.0/g`, join(folder, 'install.sh')])
    const upgrade = await install(folder, prefix)
    const versions = (await readdir(join(prefix, 'versions'))).sort()
    const inodes = async () =>
      Promise.all([...listHelpers(), 'gatepass-helpers'].map(async (name) => (await stat(join(prefix, name))).ino))
    const upgraded = new Set(await inodes())
    const kept = join(prefix, 'versions', `gatepass-helpers-${version}`)
    const downgrades = [await install(kept, prefix), await install(kept, prefix)]
    expect({
      outcomes: [upgrade, ...downgrades],
      versions,
      upgraded: { size: upgraded.size, isOld: upgraded.has(old.ino) },
      downgraded: new Set(await inodes()),
      drafts: (await readdir(prefix)).filter((name) => name.endsWith('.new')),
    }).toEqual({
      outcomes: [done, done, done],
      versions: [`gatepass-helpers-${version}`, 'gatepass-helpers-99.0.0'].sort(),
      upgraded: { size: 1, isOld: false },
      downgraded: new Set([old.ino]),
      drafts: [],
    })
  })

  test('is removed with all names, but without the configuration', async () => {
    const prefix = join(await temporaryDirectory(), 'opt')
    const folder = await unpack()
    await install(folder, prefix)
    expect(await install(folder, prefix, '--uninstall')).toEqual(done)
    expect(await readdir(join(prefix, '..'))).toEqual(['configuration'])
  })

  test('links no name to a version that does not start here', async () => {
    const prefix = join(await temporaryDirectory(), 'opt')
    const folder = await unpack()
    await install(folder, prefix)
    await run('sed', ['-i', `s/${version}/99.0.0/g`, join(folder, 'install.sh')])
    await rm(join(folder, 'gatepass-helpers'))
    await writeFile(join(folder, 'gatepass-helpers'), '#!/bin/sh\nexit 127\n', { mode: 0o755 })
    expect(await install(folder, prefix)).toEqual({
      status: 2,
      stdout: '',
      stderr: `install.sh: ${prefix}/versions/gatepass-helpers-99.0.0/gatepass-helpers does not start on this machine\ninstall.sh: hint: install what the line above misses, such as libatomic and libstdc++\n`,
    })
    expect((await runExecutable(join(prefix, first), { argv: ['--version'] })).stdout).toContain(` ${version} (`)
  })

  test('refuses a prefix that others can write, and one that is not an absolute path', async () => {
    const prefix = join(await temporaryDirectory(), 'opt')
    await mkdir(prefix)
    await run('chmod', ['777', prefix])
    const folder = await unpack()
    expect(await install(folder, prefix)).toEqual({
      status: 2,
      stdout: '',
      stderr: `install.sh: ${prefix} can be written by other users\ninstall.sh: hint: chmod go-w '${prefix}'\n`,
    })
    expect(await install(folder, 'opt')).toMatchObject({ status: 2, stdout: '' })
  })
})
