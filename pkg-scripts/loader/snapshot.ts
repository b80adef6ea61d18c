import { createLoad, type Packed } from './packed.ts'
import { defer, refuseWhatDiffers } from './refuse-what-differs.ts'

declare const packed: Packed

const { startupSnapshot } = require('node:v8') as typeof import('node:v8')

/** Modules that Node itself supports in a snapshot; the others hold handles or state of one process. */
const mayBeLoaded = new Set(
  'buffer events fs fs/promises path process stream stream/promises string_decoder timers timers/promises url util'.split(
    ' ',
  ),
)

// A program that starts from a snapshot: what is loaded while it is built is there when it starts. A chunk that asks for
// something that differs from run to run, or for a module that cannot be in a snapshot, is loaded when it is first used.
const loaded = new Map<string, { exports: object }>()
const world = refuseWhatDiffers()
const load = createLoad(packed, loaded, (id) => {
  const isSafe = mayBeLoaded.has(id.replace(/^node:/, ''))
  const find = () => {
    if (!isSafe) world.refuse(`the module ${id}`)
    return require(id)
  }
  return {
    read: (key) => (world.isBuilding() && !isSafe ? defer(() => find()[key]) : find()[key]),
    has: (key) => key in find(),
  }
})

for (const name of packed.early) loadWhole(name)
world.restore()
startupSnapshot.setDeserializeMainFunction(() => {
  world.open()
  const { start } = load(packed.entry) as { start(): void }
  start()
})

function loadWhole(name: string): void {
  const before = new Set(loaded.keys())
  try {
    load(name)
  } catch (error) {
    // It needs what a snapshot may not hold: everything that it brought along is loaded again in the run that uses it.
    for (const added of [...loaded.keys()].filter((key) => !before.has(key))) loaded.delete(added)
    process.stderr.write(`left out: ${name}: ${(error as Error).message}\n`)
  }
}
