import { chown, mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderInstaller } from '../../pkg-scripts/release/render-installer.ts'
import { fails, runExecutable } from '../setup/run-program.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'
import { isRoot, nobody } from '../setup/unprivileged.ts'

const succeeded = { status: 0, stdout: '', stderr: '' }

/** Prepares a prefix into which programs that only say `--version` are installed from their unpacked archives. */
async function startMachine() {
  const directory = await temporaryDirectory()
  const prefix = join(directory, 'opt')
  const unpack = async (name: string, version: string, links: readonly string[]) => {
    const folder = join(directory, `${name}-${version}`)
    await mkdir(folder)
    await writeFile(
      join(folder, 'install.sh'),
      renderInstaller('linux', { name, version, links, shared: [`share/man/man1/${name}.1`] }).text,
    )
    await mkdir(join(folder, 'share', 'man', 'man1'), { recursive: true })
    await writeFile(join(folder, 'share', 'man', 'man1', `${name}.1`), '')
    await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), '')
    await writeFile(join(folder, name), '#!/bin/sh\n', { mode: 0o755 })
    const run = (args: readonly string[], path = '') =>
      runExecutable('/bin/sh', {
        argv: [join(folder, 'install.sh'), '--prefix', prefix, ...args],
        env: { PATH: `${path}/usr/bin:/bin`, GATEPASS_CONFIGURATION_DIRECTORY: join(directory, 'configuration') },
      })
    return { install: (path?: string) => run([], path), uninstall: (path?: string) => run(['--uninstall'], path) }
  }
  const list = async () =>
    (await readdir(prefix, { recursive: true })).filter((path) => !/\/(install|THIRD)/.test(path)).sort()
  return { directory, prefix, unpack, list }
}

test('install.sh removes one program and leaves the other, whose name begins alike', async () => {
  const { unpack, list } = await startMachine()
  const command = await unpack('gatepass', '1.0.0', [])
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first', 'second'])
  for (const program of [command, helpers]) expect(await program.install()).toEqual(succeeded)
  const both = await list()
  expect(await command.uninstall()).toEqual(succeeded)
  expect(await list()).toEqual(both.filter((path) => !/(^|\/)gatepass(-1|[.]1|$)/.test(path)))
  expect(await command.install()).toEqual(succeeded)
  expect(await helpers.uninstall()).toEqual(succeeded)
  expect(await list()).toEqual([
    'gatepass',
    'share',
    'share/man',
    'share/man/man1',
    'share/man/man1/gatepass.1',
    'versions',
    'versions/gatepass-1.0.0',
    'versions/gatepass-1.0.0/gatepass',
    'versions/gatepass-1.0.0/names',
    'versions/gatepass-1.0.0/share',
    'versions/gatepass-1.0.0/share/man',
    'versions/gatepass-1.0.0/share/man/man1',
    'versions/gatepass-1.0.0/share/man/man1/gatepass.1',
  ])
})

test('install.sh removes the names of versions that have other helpers', async () => {
  const { prefix, unpack, list } = await startMachine()
  const older = await unpack('gatepass-helpers', '1.0.0', ['first'])
  for (const program of [await unpack('gatepass-helpers', '2.0.0', ['second']), older])
    expect(await program.install()).toEqual(succeeded)
  await writeFile(join(prefix, 'first.json'), '{}')
  expect(await older.uninstall()).toEqual(succeeded)
  expect(await list()).toEqual(['first.json'])
})

test('install.sh goes on where something cannot be removed, and ends with 2', async () => {
  const { prefix, unpack, list } = await startMachine()
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first', 'second'])
  await helpers.install()
  await mkdir(join(prefix, 'first.new'))
  const { status, stdout, stderr } = await helpers.uninstall()
  const [reason = '', ...lines] = stderr.split('\n')
  expect({ status, stdout, isNamed: reason.includes('first.new'), lines }).toEqual({
    status: 2,
    stdout: '',
    isNamed: true,
    lines: [
      `install.sh: not removed: '${prefix}/first.new'`,
      'install.sh: hint: fix what the lines above report, then remove what is named here as an administrator',
      '',
    ],
  })
  expect(await list()).toEqual(['first.new'])
})

const refused = (problem: string, hint: string) => fails('install.sh', 2, problem, hint)

test('install.sh follows a prefix that is a link, whose own mode means nothing', async () => {
  const { directory, prefix, unpack, list } = await startMachine()
  await mkdir(join(directory, 'disk'))
  await symlink(join(directory, 'disk'), prefix)
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first'])
  expect(await helpers.install()).toEqual(succeeded)
  expect(await list()).toEqual([
    'first',
    'gatepass-helpers',
    'share',
    'share/man',
    'share/man/man1',
    'share/man/man1/gatepass-helpers.1',
    'versions',
    'versions/gatepass-helpers-1.0.0',
    'versions/gatepass-helpers-1.0.0/gatepass-helpers',
    'versions/gatepass-helpers-1.0.0/names',
    'versions/gatepass-helpers-1.0.0/share',
    'versions/gatepass-helpers-1.0.0/share/man',
    'versions/gatepass-helpers-1.0.0/share/man/man1',
    'versions/gatepass-helpers-1.0.0/share/man/man1/gatepass-helpers.1',
  ])
})

test.runIf(isRoot)('install.sh refuses a prefix of another user, who could replace every name', async () => {
  const { prefix, unpack, list } = await startMachine()
  await mkdir(prefix, { mode: 0o755 })
  await chown(prefix, nobody, nobody)
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first'])
  expect(await helpers.install()).toEqual(refused(`${prefix} belongs to another user`, `chown root '${prefix}'`))
  expect(await list()).toEqual([])
})

test.each([
  ['dpkg-query --search', 'gatepass-helpers: /opt'],
  ['rpm --query --file', 'gatepass-helpers-1.0.0-1.x86_64'],
])('install.sh leaves alone what belongs to a package by %s', async (query, answer) => {
  const { directory, prefix, unpack, list } = await startMachine()
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first'])
  await helpers.install()
  const before = await list()
  const [tool = '', ...flags] = query.split(' ')
  const asked = [...flags, join(prefix, 'gatepass-helpers')].join(' ')
  const script = `#!/bin/sh\n[ "$*" = "${asked}" ] && echo "${answer}"\n`
  await writeFile(join(directory, tool), script, { mode: 0o755 })
  const outcome = refused(
    `${prefix}/gatepass-helpers belongs to the package ${answer.split(':')[0]}`,
    'remove that package first, or name another directory with --prefix',
  )
  expect(await helpers.install(`${directory}:`)).toEqual(outcome)
  expect(await helpers.uninstall(`${directory}:`)).toEqual(outcome)
  expect(await list()).toEqual(before)
})

const builtFor = (library: string) =>
  refused(
    `the C library of this system is ${library}, and gatepass-helpers is built for glibc 2.28 or newer`,
    'install on a system with that library, such as Debian 10, Ubuntu 20.04, RHEL 8 or newer; elsewhere, run the bundles of "npm run build" with a Node of that system',
  )

test.each<[what: string, tools: Readonly<Record<string, string>>, library: string | undefined]>([
  [
    'musl, whose ldd fails',
    { getconf: 'exit 1', ldd: 'printf "musl libc (x86_64)\\nVersion 1.2.5\\n" >&2; exit 1' },
    'musl libc (x86_64)',
  ],
  ['a glibc that is too old', { getconf: 'echo glibc 2.27' }, 'glibc 2.27'],
  ['a very old glibc', { getconf: 'echo glibc 2.3.6' }, 'glibc 2.3.6'],
  ['the oldest glibc that is enough', { getconf: 'echo glibc 2.28' }, undefined],
  ['a glibc with a number that begins alike', { getconf: 'echo glibc 2.31' }, undefined],
  ['a library that nobody knows', { getconf: 'exit 1', ldd: 'exit 1' }, undefined],
])('on %s install.sh refuses before it writes anything, or installs', async (_, tools, library) => {
  const { directory, unpack } = await startMachine()
  const helpers = await unpack('gatepass-helpers', '1.0.0', ['first'])
  for (const [tool, script] of Object.entries(tools))
    await writeFile(join(directory, tool), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const before = (await readdir(directory)).sort()
  expect(await helpers.install(`${directory}:`)).toEqual(library === undefined ? succeeded : builtFor(library))
  const made = (await readdir(directory)).filter((name) => !before.includes(name)).sort()
  expect(made).toEqual(library === undefined ? ['configuration', 'opt'] : [])
})

test('install.sh removes only what it made where the program does not start', async () => {
  const { directory, prefix, unpack, list } = await startMachine()
  const broken = await unpack('gatepass-helpers', '2.0.0', ['first'])
  const program = join(directory, 'gatepass-helpers-2.0.0', 'gatepass-helpers')
  await writeFile(program, '#!/bin/sh\nexit 127\n', { mode: 0o755 })
  const home = `${prefix}/versions/gatepass-helpers-2.0.0`
  const outcome = refused(
    `${home}/gatepass-helpers does not start on this machine`,
    'install what the line above misses, such as libatomic and libstdc++',
  )
  expect(await broken.install()).toEqual(outcome)
  expect(await readdir(directory)).toEqual(['gatepass-helpers-2.0.0'])
  await (await unpack('gatepass-helpers', '1.0.0', ['first'])).install()
  const before = await list()
  expect(await broken.install()).toEqual(outcome)
  expect(await list()).toEqual(before)
})
