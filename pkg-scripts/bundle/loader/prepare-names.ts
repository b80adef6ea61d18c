import { stat } from 'node:fs'
import { join } from 'node:path'
import type { UnreadCall } from '../../../src/helper/early/client-timeout.ts'
import { longestReadSec, patienceMs, resolveInTime } from '../../../src/helper/early/resolve-in-time.ts'
import { locateMachineDirectory } from '../../../src/runtime/host.ts'
import { type NameSource, setNameSource, vendorFileName } from '../../../src/vendor/name-source.ts'
import { type Compiled, runAlone } from './packed.ts'

/** The piece that reads the names of the client's vendor, in a vendor file. */
export interface NamesPiece {
  readonly chunk: string
  find(): Compiled
}

/** Who may choose the names of a program: the administrator of the machine, or its caller too. */
type Chooser = 'machine' | 'caller'

/**
 * Finds out the names of this process, before anything is loaded that uses one.
 * @param call That of a helper, which ends by the deadline of its client whatever the disk does.
 */
export async function prepareNames(
  piece: NamesPiece,
  chooser: Chooser,
  requireModule: NodeJS.Require,
  call?: UnreadCall,
): Promise<void> {
  // A program of a test has no such piece, and the names that it was built with.
  if (piece.chunk === '') return
  const path = join(machineDirectory, vendorFileName)
  const load = () => runAlone('names', piece.find(), requireModule)[`./${piece.chunk}`] as NamesModule
  const found = (chooser === 'machine' ? findNothing(path) : undefined) ?? Promise.resolve(undefined)
  const source = found.then((nothing) => nothing ?? readNames(load(), chooser))
  setNameSource(
    (await resolveInTime(source, patienceMs)) ?? (await waitLonger(source, path, call && load().readCallSec(call))),
  )
}

/** What the piece exports. */
type NamesModule = typeof import('../../../src/helper/early/before-names.ts')

/** Only here the options are looked for that say how long: a disk that responds costs no call anything. */
async function waitLonger(
  source: Promise<NameSource>,
  path: string,
  callSec: Promise<number> | undefined,
): Promise<NameSource> {
  const seconds = Math.min(longestReadSec, (await callSec) ?? longestReadSec)
  return (await resolveInTime(source, (seconds - process.uptime()) * 1000)) ?? toLate(path, seconds)
}

const machineDirectory = locateMachineDirectory(process.platform, process.execPath)

/** On most machines there is no such file, and then the piece is not loaded. */
function findNothing(path: string): Promise<NameSource | undefined> {
  return new Promise((resolve) => {
    stat(path, (error) => {
      const looks = [{ path, kind: 'status', found: error }]
      resolve(error?.code === 'ENOENT' ? { from: 'build', looks: looks as object[] } : undefined)
    })
  })
}

function readNames({ readNames }: NamesModule, chooser: Chooser): Promise<NameSource> {
  const argv = chooser === 'caller' ? process.argv.slice(2) : undefined
  return readNames({ ...(argv && { argv }), platform: process.platform, machineDirectory })
}

function toLate(path: string, seconds: number): NameSource {
  const message = `reading ${path} took longer than ${seconds} s`
  const hint = 'it has to be a file on a local disk; see what is mounted there with: mount'
  return { from: 'machine', path, failure: { kind: 'late', message, hint }, looks: [] }
}
