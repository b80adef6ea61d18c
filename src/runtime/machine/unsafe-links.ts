import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { readLinkStatus, readLinkTarget, readRealPath } from '../disk.ts'
import { HelperError } from '../failure.ts'

/** A directory, a link or the file itself on the way to a file. */
interface Step {
  readonly path: string
  readonly status: Stats
}

/** As many as Linux follows. */
const mostLinks = 40

/**
 * Refuses a file of the machine that a link leads to, unless everything on the way belongs to root and nobody else can write it:
 * who can replace a link or a directory there can put another file in the place of this one.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
export async function refuseUnsafeLinks(path: string): Promise<void> {
  const whole = resolve(path)
  if ((await readRealPath(whole)) === whole) return
  const steps = await listSteps(whole)
  const link = steps.find(({ status }) => status.isSymbolicLink())
  for (const step of steps) {
    const problem = findProblem(step.status)
    if (problem === undefined) continue
    const message = `${path} leads through ${step.path}, which ${problem}`
    throw new HelperError('not-configured', message, `put what it leads to in the place of the link ${link?.path}`)
  }
}

/** In a directory with the sticky bit nobody can replace what is root's. The mode of a link means nothing. */
function findProblem(status: Stats): string | undefined {
  if (status.uid !== 0) return 'does not belong to root'
  const isSticky = status.isDirectory() && (status.mode & 0o1000) !== 0
  const isOpen = (status.mode & 0o022) !== 0 && !isSticky && !status.isSymbolicLink()
  return isOpen ? 'can be written by other users' : undefined
}

/** From the root directory to the file, by way of each link that is followed. */
async function listSteps(path: string): Promise<Step[]> {
  const steps: Step[] = [{ path: '/', status: await readLinkStatus('/') }]
  let links = 0
  let [directory, names] = ['/', toNames(path)]
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const step = { path: join(directory, name), status: await readLinkStatus(join(directory, name)) }
    steps.push(step)
    directory = step.path
    if (!step.status.isSymbolicLink()) continue
    if (++links > mostLinks) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
    const target = await readLinkTarget(step.path)
    directory = isAbsolute(target) ? '/' : dirname(step.path)
    names = [...toNames(target), ...names]
  }
  return steps
}

function toNames(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
