import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { attemptUnlessMissing, readLinkStatus, readLinkTarget, readRealPath, readStatus } from './disk.ts'
import { HelperError } from './failure.ts'
import { quoteWord, renderLookHint } from './text/quote.ts'

/**
 * Refuses a file of the machine that is missing because a link on the way leads nowhere, for example to a share that is not mounted:
 * an administrator has set something, and it cannot be read.
 * @param path The path of a file that was not found.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
export async function refuseDanglingLink(path: string): Promise<void> {
  const found = await findExistingStep(resolve(path))
  if (!found?.status.isSymbolicLink()) return
  const isItself = found.path === resolve(path)
  if (!isItself && (await isThere(found.path))) return
  const target = await locateEnd(found.path)
  const what = isItself ? 'is a link' : `is behind the link ${found.path},`
  const message = `${path} ${what} to ${target}, which does not exist`
  throw new HelperError('not-configured', message, `restore ${target}, or remove the link ${found.path}`)
}

/** A directory, a link or the file itself on the way to a file. */
interface PathStep {
  readonly path: string
  readonly status: Stats
}

/** Finds the nearest directory or link on the way to a file that exists, or the file itself. The root always exists. */
async function findExistingStep(path: string): Promise<PathStep | undefined> {
  const status = await attemptUnlessMissing(readLinkStatus(path))
  if (status) return { path, status }
  return dirname(path) === path ? undefined : findExistingStep(dirname(path))
}

async function isThere(path: string): Promise<boolean> {
  return (await attemptUnlessMissing(readStatus(path))) !== undefined
}

/** Locates the final target of a link, through other links. */
async function locateEnd(link: string, links = 1): Promise<string> {
  const target = resolve(dirname(link), await readLinkTarget(link))
  const next = await findExistingStep(target)
  const isLink = next?.path === target && next.status.isSymbolicLink()
  return isLink && links < maxLinks ? locateEnd(target, links + 1) : target
}

/** The most links that are followed, as in Linux (`path_resolution(7)`). */
const maxLinks = 40

/**
 * Refuses a file that others can write, because it decides which token is printed. Its directory is checked too, because anybody who
 * can write that can replace the file. Windows has neither modes nor user ids.
 * @param owner The required owner of both: root (then the way of a link is checked too), or either root or this user.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
export async function refuseUnsafeFile(path: string, owner: 'root' | number | undefined): Promise<void> {
  for (const checked of [path, dirname(path)]) {
    const { mode, uid } = await readStatus(checked)
    const quoted = quoteWord(checked)
    if (isOpenToOthers({ mode }))
      throw new HelperError(
        'not-configured',
        `${checked} ${openToOthers}`,
        uid === owner ? `run: chmod go-w ${quoted}` : `run: sudo chmod go-w ${quoted}`,
      )
    if (owner === 'root' && uid !== 0)
      throw new HelperError('not-configured', `${checked} does not belong to root`, `run: sudo chown root ${quoted}`)
    if (uid !== 0 && uid !== owner)
      throw new HelperError('not-configured', `${checked} belongs to another user`, renderLookHint(checked))
  }
  if (owner === 'root') await refuseUnsafeLinks(path)
}

/**
 * Refuses a file of the machine that a link leads to, unless everything on the way belongs to root and nobody else can write it:
 * anybody who can replace a link or a directory there can put another file in place of this one.
 * @throws {HelperError} `not-configured`, or the system's error.
 */
async function refuseUnsafeLinks(path: string): Promise<void> {
  const whole = resolve(path)
  if ((await readRealPath(whole)) === whole) return
  const steps = await listSteps(whole)
  const link = steps.find(({ status }) => status.isSymbolicLink())
  for (const step of steps) {
    const problem = validateStatus(step.status)
    if (problem === undefined) continue
    const message = `${path} leads through ${step.path}, which ${problem}`
    const hint = link ? `replace the link ${link.path} by what it leads to` : renderLookHint(step.path) // a file system that ignores case has another spelling
    throw new HelperError('not-configured', message, hint)
  }
}

/** Lists every step from the root directory to the file, with each link that is followed. */
async function listSteps(path: string): Promise<PathStep[]> {
  const steps: PathStep[] = [{ path: '/', status: await readLinkStatus('/') }]
  let links = 0
  let [directory, names] = ['/', toNames(path)]
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    const step = { path: join(directory, name), status: await readLinkStatus(join(directory, name)) }
    steps.push(step)
    directory = step.path
    if (!step.status.isSymbolicLink()) continue
    if (++links > maxLinks) throw Object.assign(new Error('too many links'), { code: 'ELOOP' })
    const target = await readLinkTarget(step.path)
    directory = isAbsolute(target) ? '/' : dirname(step.path)
    names = [...toNames(target), ...names]
  }
  return steps
}

/**
 * Validates the owner and the mode of a step. Nobody can replace root's files in a directory with the sticky bit, and the mode of a link
 * has no meaning.
 */
function validateStatus(status: Stats): string | undefined {
  if (status.uid !== 0) return 'does not belong to root'
  const isSticky = status.isDirectory() && hasStickyBit(status)
  const isOpen = isOpenToOthers(status) && !isSticky && !status.isSymbolicLink()
  return isOpen ? openToOthers : undefined
}

function toNames(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

/** Returns whether a mode lets the group or everybody write. Windows has access lists instead. */
export function isOpenToOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o022) !== 0
}

/** Returns whether a directory has the sticky bit, as /tmp does: its users cannot rename or remove each other's files. */
export function hasStickyBit({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & 0o1000) !== 0
}

/** The problem of a file or directory that {@link isOpenToOthers}. */
export const openToOthers = 'can be written by other users'
