import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderInstaller } from '../../../pkg-scripts/release/render-installer.ts'
import { bundleDirectory, listHelpers } from '../../../pkg-scripts/tree.ts'
import { version } from '../../../src/version.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'

/** The changes of a test: lines of the program before it starts the bundle of its name, and the script that installs it. */
export interface Planted {
  readonly program?: string
  readonly installer?: (text: string) => string
}

/** Writes unpacked archives whose programs are scripts that start the bundles of their names. */
export async function writeRelease({ program = '', installer = (text) => text }: Planted): Promise<string> {
  const release = await temporaryDirectory()
  for (const [name, links] of [
    ['gatepass-helpers', listHelpers()],
    ['gatepass', []],
  ] as const) {
    const folder = join(release, `${name}-${version}`)
    await mkdir(folder)
    await writeFile(join(folder, name), renderProgram(program), { mode: 0o755 })
    await writeFile(join(folder, 'THIRD-PARTY-NOTICES.txt'), '')
    const { file, text } = renderInstaller('linux', { name, version, links })
    await writeFile(join(folder, file), installer(text), { mode: 0o755 })
  }
  return release
}

/** The executable with every helper has no bundle: another one says its version. */
function renderProgram(planted: string): string {
  return `#!/bin/sh
name=$(basename "$0")
start() { exec '${process.execPath}' '${bundleDirectory}'/"$name".cjs "$@"; }
${planted}
case $name in
  gatepass-helpers) name=api-key; start "$@" | sed s/api-key/gatepass-helpers/ ;;
  *) start "$@" ;;
esac
`
}
