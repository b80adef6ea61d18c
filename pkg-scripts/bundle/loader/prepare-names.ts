import { stat } from 'node:fs'
import { join } from 'node:path'
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

/** In milliseconds, before the call of any client has to end. */
const patienceMs = 10_000

/** Finds out the names of this process, before anything is loaded that uses one. */
export async function prepareNames(piece: NamesPiece, chooser: Chooser, requireModule: NodeJS.Require): Promise<void> {
  // A program of a test has no such piece, and the names that it was built with.
  if (piece.chunk === '') return
  const { promise, resolve } = Promise.withResolvers<NameSource>()
  const path = join(machineDirectory, vendorFileName)
  const timer = setTimeout(() => resolve(toLate(path)), patienceMs)
  const found = (chooser === 'machine' ? findNothing(path) : undefined) ?? Promise.resolve(undefined)
  const source = found.then((nothing) => nothing ?? readNames(piece, chooser, requireModule))
  setNameSource(await Promise.race([source, promise]).finally(() => clearTimeout(timer)))
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

function readNames({ chunk, find }: NamesPiece, chooser: Chooser, requireModule: NodeJS.Require): Promise<NameSource> {
  const { readNames } = runAlone('names', find(), requireModule)[`./${chunk}`] as {
    readNames(host: object): Promise<NameSource>
  }
  const argv = chooser === 'caller' ? process.argv.slice(2) : undefined
  return readNames({ ...(argv && { argv }), platform: process.platform, machineDirectory })
}

function toLate(path: string): NameSource {
  const message = `reading ${path} takes longer than ${patienceMs / 1000} seconds`
  const hint = `look at it with: ls -ld '${path}'; a local disk has to hold it`
  return { from: 'machine', path, failure: { kind: 'late', message, hint }, looks: [] }
}
