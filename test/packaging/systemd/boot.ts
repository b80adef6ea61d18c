import { execFile } from 'node:child_process'
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { downloadPackages } from '../../../pkg-scripts/smoke/guests/download-packages.ts'
import { root as tree } from '../../../pkg-scripts/tree.ts'

const run = promisify(execFile)

/** A small Debian 12 with systemd, in a directory. Its packages are unpacked, and not configured. */
const machine = {
  title: 'Debian 12 with systemd',
  suite: 'bookworm',
  architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
  packages: [
    'base-files',
    'bsdutils',
    'coreutils',
    'dash',
    'diffutils',
    'dpkg',
    'grep',
    'libatomic1',
    'libc-bin',
    'libc6',
    'libgcc-s1',
  ].concat(['libstdc++6', 'procps', 'python3-minimal', 'sed', 'systemd', 'tar', 'util-linux']),
  target: `linux-${process.arch}`,
} as const

/** The files that a script has written in the machine. */
interface SeenThere {
  readonly seen: string
  /** Everything that helps to find out why it went wrong. */
  readonly log: string
}

/** Boots the machine by its systemd, runs a script in it with these files in `/packages`, and ends it. Needs root. */
export async function bootMachine(
  script: string,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<SeenThere> {
  const place = join(tree, 'dist', 'test', 'systemd')
  await rm(place, { recursive: true, force: true })
  const root = join(place, 'root')
  downloadPackages(machine, place, root)
  await configure(place, root)
  for (const [name, content] of Object.entries(files)) {
    const path = join(root, 'packages', name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  await cp(script, join(root, 'script.sh'))
  await chmod(join(root, 'script.sh'), 0o755)
  const kernel = ['systemd.run=/script.sh', 'systemd.run_success_action=exit', 'systemd.run_failure_action=exit']
  const options = ['--quiet', '--register=no', '--keep-unit', '--private-network', `--directory=${root}`, '--boot']
  const { stdout } = await run('systemd-nspawn', [...options, ...kernel], { timeout: 240_000 }).catch((error) => error)
  const read = (name: string) => readFile(join(root, name), 'utf8').catch(() => '')
  return { seen: await read('seen'), log: [stdout, await read('seen.log'), await read('seen.journal')].join('\n') }
}

/** Does the work of the packages' own scripts, as far as systemd and dpkg need it. */
async function configure(place: string, root: string): Promise<void> {
  const archives = join(place, 'apt', 'archives')
  const names = (await readdir(archives)).filter((name) => name.endsWith('.deb'))
  const fields = await Promise.all(names.map((name) => run('dpkg-deb', ['--field', join(archives, name)])))
  const state = join(root, 'var', 'lib', 'dpkg')
  for (const part of ['info', 'updates', 'triggers']) await mkdir(join(state, part), { recursive: true })
  const status = fields.map(({ stdout }) => stdout.replace(/^(Package: .*)$/m, '$1\nStatus: install ok installed'))
  await writeFile(join(state, 'status'), status.join('\n'))
  await writeFile(
    join(root, 'etc', 'passwd'),
    'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n',
  )
  await writeFile(join(root, 'etc', 'group'), 'root:x:0:\nnogroup:x:65534:\n')
  await writeFile(join(root, 'etc', 'machine-id'), '')
  await rm(join(place, 'apt'), { recursive: true })
}
