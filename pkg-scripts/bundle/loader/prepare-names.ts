import { lstat, type Stats } from 'node:fs'
import { dirname, join } from 'node:path'
import { longestReadSec, patienceMs } from '../../../src/contract/limits.ts'
import type { UnreadCall } from '../../../src/helper/memo/client-timeout.ts'
import type { Look } from '../../../src/runtime/disk.ts'
import { locateMachineDirectory } from '../../../src/runtime/host.ts'
import { mountsCommands, ownSystem } from '../../../src/runtime/text/quote.ts'
import { waitAtMost } from '../../../src/runtime/wait-at-most.ts'
import { type NameSource, setNameSource, vendorFileName } from '../../../src/vendor/setting.ts'
import { type Compiled, runAlone } from './start-packed.ts'

/**
 * Finds the names for this process before any module that uses one is loaded.
 * @param call The call of a helper, which ends by the deadline of its client even if the disk does not respond.
 */
export async function prepareNames(
  piece: { readonly chunk: string; read(): Compiled },
  chooser: Chooser,
  requireModule: NodeJS.Require,
  call?: UnreadCall,
): Promise<void> {
  // The program of a test has no such piece, and uses the names of its build.
  if (piece.chunk === '') return
  const path = join(machineDirectory, vendorFileName)
  const load = () => runAlone('names', piece.read(), requireModule)[`./${piece.chunk}`] as NamesModule
  const found = (chooser === 'machine' ? findNothing(path) : undefined) ?? Promise.resolve(undefined)
  const source = found.then((nothing) => nothing ?? readNames(load(), chooser))
  setNameSource(
    (await waitAtMost(source, patienceMs)) ?? (await waitLonger(source, path, call && load().readCallSec(call))),
  )
}

/** The one who may choose the names of a program: only the administrator of the machine, or also its caller. */
type Chooser = 'machine' | 'caller'

/** The exports of the piece. */
type NamesModule = typeof import('../../../src/helper/memo/before-names.ts')

/**
 * Most machines have no such file, and the piece is then not loaded. It is loaded if any part of the path is a link, because the link may
 * be dangling, and the piece has the message for that. All checks start at once, because most machines do not have the directory either.
 */
async function findNothing(path: string): Promise<NameSource | undefined> {
  const looks: Look[] = []
  for (const look of await Promise.all([path, dirname(path), dirname(dirname(path))].map(readLook))) {
    const { found } = look
    looks.push(look)
    if (!(found instanceof Error))
      return look.path === path || found.isSymbolicLink() ? undefined : { from: 'build', looks }
    if (found.code !== 'ENOENT') return undefined
  }
  return undefined
}

function readLook(path: string): Promise<Omit<Look, 'found'> & { readonly found: Stats | NodeJS.ErrnoException }> {
  return new Promise((resolve) =>
    lstat(path, (error, status) => resolve({ path, kind: 'link status', found: error ?? status })),
  )
}

function readNames({ readNames }: NamesModule, chooser: Chooser): Promise<NameSource> {
  const argv = chooser === 'caller' ? process.argv.slice(2) : undefined
  return readNames({ ...(argv && { argv }), platform: process.platform, machineDirectory })
}

/** Waits as long as the options allow. They are read only here, so that a call does not pay for them while the disk responds. */
async function waitLonger(
  source: Promise<NameSource>,
  path: string,
  callSec: Promise<number> | undefined,
): Promise<NameSource> {
  const seconds = Math.min(longestReadSec, (await callSec) ?? longestReadSec)
  return (await waitAtMost(source, (seconds - process.uptime()) * 1000)) ?? toLate(path, seconds)
}

const machineDirectory = locateMachineDirectory(process.platform, process.execPath)

function toLate(path: string, seconds: number): NameSource {
  const message = `reading ${path} took longer than ${seconds} s`
  const hint = `it has to be a file on a local disk; see what is mounted there with: ${mountsCommands[ownSystem]}`
  return { from: 'machine', path, failure: { kind: 'late', message, hint }, looks: [] }
}
