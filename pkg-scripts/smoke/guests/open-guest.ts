// Folder: other systems in directories of this one, for the same smoke test.

import { type StdioOptions, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HelperError } from '../../../src/runtime/failure.ts'
import { root as tree } from '../../tree.ts'
import { downloadPackages } from './download-packages.ts'
import { type Guest, guests } from './guests.ts'

/** A guest that programs can be run on. */
export interface OpenGuest extends Guest {
  /** Its root directory, from the outside. */
  readonly root: string
  /**
   * Runs a command and waits until it and all its descendants have ended.
   * @returns its status
   */
  run(command: readonly string[], env: Readonly<Record<string, string>>, stdio: StdioOptions): number | null
}

/** The folder that keeps the guests of this tree. */
export const guestsDirectory = join(tree, 'dist', 'guests')

/** Opens the guest in a directory below the parent, or creates it, which takes from 10 seconds to a minute. */
export function openGuest(name: string, parent: string): OpenGuest {
  const guest = guests[name]
  if (!guest)
    throw new HelperError('usage', `--on: there is no guest ${name}`, `choose ${Object.keys(guests).join(', ')}`)
  const directory = join(parent, name)
  const root = join(directory, 'root')
  const run: OpenGuest['run'] = (command, env, stdio) => runInside(guest, root, command, env, stdio)
  if (!existsSync(join(directory, 'complete'))) {
    rmSync(directory, { recursive: true, force: true })
    downloadPackages(guest, directory, root)
    for (const part of guest.configured ?? []) preparePackage(part, run)
    rmSync(join(directory, 'apt'), { recursive: true })
    writeFileSync(join(directory, 'complete'), '')
  }
  return { ...guest, root, run }
}

function runInside(
  { emulator }: Guest,
  root: string,
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  stdio: StdioOptions,
): number | null {
  for (const place of ['dev', 'sys', 'proc', 'tmp', 'root', tree]) mkdirSync(join(root, place), { recursive: true })
  const namespaces = ['--user', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child']
  const argv = [...namespaces, '/bin/sh', '-euc', entering, 'enter', root, tree, ...command]
  // F: the kernel opens the emulator now, because it is not there inside. P and C: it is told the name and rights of the program.
  const BINFMT = emulator ? `:guest:M::${emulator.magic}:${emulator.mask}:${emulator.program}:FPC` : ''
  const all = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LC_ALL: 'C.UTF-8', BINFMT, ...env }
  const { status, error } = spawnSync('unshare', argv, { env: all, stdio, timeout: longestMs, killSignal: 'SIGKILL' })
  if (error)
    throw new HelperError('not-configured', 'unshare cannot be started', 'install util-linux', { cause: error })
  return status
}

function preparePackage(name: string, run: OpenGuest['run']): void {
  const status = run(['/bin/sh', `/configure/${name}/postinst`, 'configure'], {}, 'inherit')
  if (status !== 0) throw new Error(`${name} cannot be configured: its script ends with ${status}`)
}

/** Far longer than any command, also on an emulated processor. */
const longestMs = 600_000

/**
 * Runs inside namespaces, so that no user has to be root, nothing of it, such as the emulator of its processor, is visible outside, and
 * everything in it ends with its first process. The tree has the same path there, and is read-only.
 */
const entering = `
root=$1 tree=$2; shift 2
if [ -n "$BINFMT" ]; then
  mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
  printf %s "$BINFMT" >/proc/sys/fs/binfmt_misc/register
fi
mount --rbind /dev "$root/dev"
mount --rbind /sys "$root/sys"
mount -t proc proc "$root/proc"
mount --bind "$tree" "$root$tree"
mount -o remount,bind,ro "$root$tree"
unset BINFMT
exec chroot "$root" "$@"`
