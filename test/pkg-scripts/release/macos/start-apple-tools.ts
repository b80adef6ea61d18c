import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderInstaller } from '../../../../pkg-scripts/release/render-installer.ts'
import { root } from '../../../../pkg-scripts/tree.ts'
import { runExecutable } from '../../../setup/run-program.ts'
import { temporaryDirectory } from '../../../setup/temporary-directory.ts'

const tools = ['codesign', 'pkgbuild', 'productbuild', 'productsign', 'security', 'xcrun']

/** Starts a machine whose Apple tools are stand-ins that record how they are called. */
export async function startAppleTools() {
  const record = await temporaryDirectory()
  const bin = join(record, 'bin')
  await mkdir(bin)
  for (const tool of tools) await cp(join(root, 'test/stand-ins/apple-tools.sh'), join(bin, tool))
  return {
    record,
    /** Runs a script of `packaging/macos`. */
    run: (script: string, argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
      runExecutable(join(root, 'packaging/macos', script), {
        argv,
        env: { PATH: `${bin}:/usr/bin:/bin`, APPLE_RECORD: record, ...env },
      }),
    /** Reads one line for each call, with `WORK` in place of temporary directories. */
    readCalls: async () =>
      (await readFile(join(record, 'calls'), 'utf8'))
        .replaceAll(/\/tmp\/tmp\.\w+/g, 'WORK')
        .trim()
        .split('\n'),
  }
}

/** Writes an archive for macOS whose program is a script that prints its version. */
export async function writeArchive(folder: string, processor: string): Promise<string> {
  const [name = '', version = ''] = folder.split(/-(?=\d)/)
  const directory = await temporaryDirectory()
  const files = {
    [name]: `#!/bin/sh\necho ${name} ${version}\n`,
    'install.sh': renderInstaller('darwin', { name, version, links: ['first-helper', 'second-helper'] }).text,
    'THIRD-PARTY-NOTICES.txt': 'none\n',
  }
  await mkdir(join(directory, folder))
  for (const [file, text] of Object.entries(files)) {
    await writeFile(join(directory, folder, file), text)
    await chmod(join(directory, folder, file), 0o755)
  }
  const archive = join(directory, `${folder}-darwin-${processor}.tar.xz`)
  const { status } = await runExecutable('/usr/bin/tar', {
    argv: ['-cJf', archive, '-C', directory, folder],
    env: { PATH: '/usr/bin:/bin' },
  })
  if (status !== 0) throw new Error('the archive cannot be written')
  return archive
}
