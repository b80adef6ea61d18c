import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleAll } from '../../pkg-scripts/bundle/bundle.ts'
import { root } from '../../pkg-scripts/tree.ts'
import { programNotes } from './program-notes.ts'

/**
 * Builds the bundles from sources that hold every mutant. Stryker's code in them would ask the environment which one is
 * on; programs are started with an environment of the test's own, so there it asks a file. The name is vitest's.
 */
export async function setup(): Promise<void> {
  if (existsSync(programNotes.directory)) return // Stryker starts the tests again after one that did not end
  mkdirSync(programNotes.directory, { recursive: true })
  chmodSync(root, 0o755) // Stryker's copy is for one user alone, and some programs run as another
  for (const name of ['active', 'covered'] as const) {
    writeFileSync(programNotes[name], '')
    chmodSync(programNotes[name], 0o666)
  }
  const changed = globSync('{src,helpers}/**/*.ts', { cwd: root }).filter((path) => askFile(join(root, path)))
  if (changed.length === 0) throw new Error('no source holds mutants: is Stryker’s code another one now?')
  await bundleAll()
}

/** In a test it is told before any source is loaded; who was not told is a program. */
const untold = 'g.__stryker__ || (g.__stryker__ = {})'

function askFile(path: string): boolean {
  const text = readFileSync(path, 'utf8')
  if (!text.includes(untold)) return false
  const { active, covered } = programNotes
  const told = `(${meetMutants})(g.process.getBuiltinModule('node:fs'), ${JSON.stringify({ active, covered })})`
  writeFileSync(
    path,
    text.replace(untold, () => `g.__stryker__ || (g.__stryker__ = ${told})`),
  )
  return true
}

/** What Stryker's code finds in a program; its text goes there. It records at once, because a program may be killed. */
const meetMutants = `function ({ appendFileSync, readFileSync }, { active, covered }) {
  const activeMutant = readFileSync(active, 'utf8')
  if (activeMutant !== '') return { activeMutant }
  const set = (counts, id, count) => {
    if (!(id in counts)) appendFileSync(covered, id + '\\n')
    counts[id] = count
    return true
  }
  return { mutantCoverage: { static: new Proxy({}, { set }), perTest: {} } }
}`
