import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../src/version.ts'
import { prepareRuntime } from '../../executable/prepare-runtime.ts'
import { requireRuntime } from '../../executable/runtimes.ts'
import { packedPrograms, root as tree } from '../../tree.ts'
import { guestsDirectory, type OpenGuest, openGuest } from './open-guest.ts'
import { runTool } from './run-tool.ts'
import { runWindowsProgram, toWindowsPath } from './run-windows-program.ts'

/**
 * Runs the smoke test on a guest, with the runtime of the executables.
 * @returns whether nothing failed
 */
export async function runOnGuest(name: string, release: string, required: readonly string[]): Promise<boolean> {
  const guest = openGuest(name, guestsDirectory)
  console.log(`\non ${guest.title}`)
  const node = await prepareRuntime(requireRuntime(guest.target))
  const more = required.flatMap((step) => ['--require', step])
  const unpacked = `/tmp/release-${process.pid}`
  try {
    prepareArchives(release, guest.target, join(guest.root, unpacked))
    return runScript(guest, node, ['--release', guest.wine ? toWindowsPath(unpacked) : unpacked, ...more]) === 0
  } finally {
    rmSync(join(guest.root, unpacked), { recursive: true, force: true })
  }
}

/** Packs them on the outside, which has the programs for it. */
function prepareArchives(release: string, target: string, to: string): void {
  rmSync(to, { recursive: true, force: true })
  mkdirSync(to, { recursive: true })
  const isZip = target.startsWith('win32')
  for (const program of packedPrograms) {
    const archive = join(release, `${program}-${version}-${target}.${isZip ? 'zip' : 'tar.xz'}`)
    const command = isZip ? ['unzip', '-q', archive, '-d', to] : ['tar', '-xf', archive, '-C', to]
    runTool(command, `make the archive: npm run release -- --target ${target} --output '${release}'`)
  }
}

function runScript(guest: OpenGuest, node: string, args: readonly string[]): number | null {
  const script = join(tree, 'pkg-scripts', 'smoke', 'run-smoke.ts')
  if (!guest.wine) return guest.run([node, script, ...args], {}, ['ignore', 'inherit', 'inherit'])
  const { status, output } = runWindowsProgram(guest, [node, toWindowsPath(script), ...args])
  process.stdout.write(output)
  return status
}
