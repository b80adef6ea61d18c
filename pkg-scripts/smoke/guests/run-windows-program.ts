import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenGuest } from './open-guest.ts'

/**
 * Makes Wine's drives first, which reports what Wine lacks for them. If Wine's server has crashed (seen once in six runs), programs wait for
 * it forever: the wait for the server then ends the program.
 */
const starting = `
"$WINE" wineboot --init >"$SCRATCH/wineboot.txt" 2>&1
"$WINE" "$@" &
program=$!
{ "$WINESERVER" --wait; kill -9 "$program"; } >/dev/null 2>&1 &
wait "$program"`

/**
 * Runs a program for Windows on a guest with Wine. If Wine itself crashes, which its output shows, the program is run again, at most three
 * times: two successive crashes were observed.
 */
export function runWindowsProgram(guest: OpenGuest, command: readonly string[]): WindowsOutcome {
  for (let left = 3; ; left -= 1) {
    const outcome = runOnce(guest, command)
    if (left === 0 || !outcome.said.includes('wineserver crashed')) return outcome
    console.log(`${outcome.output}Wine has crashed; once more:`)
  }
}

/** The output of one Windows program, of both streams, and its status. */
interface WindowsOutcome {
  readonly status: number | null
  readonly output: string
}

/**
 * Runs the program with drives and a registry of its own, because an ended run may have left its own half written. The output goes to a
 * file, because a pipe to this process is a Unix socket, which Wine's own sockets do not tolerate.
 */
function runOnce(guest: OpenGuest, command: readonly string[]): WindowsOutcome & { said: string } {
  const scratch = `/tmp/wine-${process.pid}`
  const [outside, SCRATCH] = [join(guest.root, scratch), scratch]
  mkdirSync(outside)
  const file = openSync(join(outside, 'output.txt'), 'w')
  const programs = { WINE: guest.wine ?? 'wine', WINESERVER: '/usr/lib/wine/wineserver64' }
  const settings = { WINEPREFIX: `${scratch}/prefix`, WINEDEBUG: '-all', WINEDLLOVERRIDES: 'mscoree=;mshtml=' }
  const env = { ...programs, ...settings, SCRATCH }
  const read = (name: string) => readFileSync(join(outside, name), 'utf8')
  try {
    const status = guest.run(['/bin/sh', '-c', starting, 'wine', ...command], env, ['ignore', file, file])
    return { status, output: read('output.txt'), said: read('wineboot.txt') }
  } finally {
    closeSync(file)
    rmSync(outside, { recursive: true, force: true })
  }
}

/** Wine shows the root directory as a drive. */
export function toWindowsPath(path: string): string {
  return `Z:${path.replaceAll('/', '\\')}`
}
