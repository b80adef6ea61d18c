import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** A Debian 13 in a directory, with its Wine 10. Of Debian 12's Wine 8 the runtime that we build on refuses to start. */
export interface Debian {
  /** A directory of it, as this side sees it. */
  readonly home: string
  /** Runs a Windows program of that directory to its end. @returns its status */
  runWindows(program: string, ...args: string[]): number | null
  close(): void
}

/** Makes it where it is missing, which takes two minutes and 1.4 GB, and needs root and `debootstrap`. */
export function openDebian(directory: string): Debian {
  const wine = '/usr/lib/wine/wine64'
  if (!existsSync(join(directory, wine))) {
    mkdirSync(directory, { recursive: true })
    run('debootstrap', ['--variant=minbase', '--include=wine64', 'trixie', directory])
  }
  const proc = join(directory, 'proc')
  if (!existsSync(join(proc, 'self'))) run('mount', ['-t', 'proc', 'proc', proc]) // Wine finds its libraries by it
  const home = join(directory, 'root')
  const env = {
    HOME: '/root',
    PATH: '/usr/sbin:/usr/bin:/bin',
    LC_ALL: 'C.UTF-8',
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'mscoree=;mshtml=',
  }
  const inside = (...command: string[]) => spawnSync('chroot', [directory, ...command], { env, stdio: 'ignore' }).status
  return {
    home,
    runWindows: (program, ...args) => inside('/bin/sh', '-c', `cd /root; exec ${wine} "$0" "$@"`, program, ...args),
    close: () => {
      inside('/usr/lib/wine/wineserver64', '--kill')
      inside('/usr/lib/wine/wineserver64', '--wait')
      run('umount', [proc])
    },
  }
}

function run(program: string, args: readonly string[]): void {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) throw new Error(`${program} failed with ${status}`, { cause: error })
}
