import { basename, dirname } from 'node:path'
import type { Part } from '../examination.ts'

/** A program of the suite on this machine; `build` is `undefined` if it does not print its version. */
export interface Installed {
  readonly path: string
  /** Further names of the same file. */
  readonly links?: readonly string[]
  readonly build: SuiteBuild | undefined
}

/** Parses the output of `--version`; `undefined` for any other text. */
export function parseVersion(stdout: string): SuiteBuild | undefined {
  const form = /^\S+ (\S+) \(commit (\S+), runtime [^\s,]+, for (.+?)(?:, names ([0-9a-f]{8}))?\)\r?\n$/
  const [, version, commit, vendor, names] = form.exec(stdout) ?? []
  return version && commit && vendor ? { version, commit, vendor, names } : undefined
}

/** The build that a program of the suite states. */
interface SuiteBuild {
  readonly version: string
  /** `unknown` if it runs from source, or was built without git. */
  readonly commit: string
  /** The display name. */
  readonly vendor: string
  /** A digest of all names; an older program does not state it. */
  readonly names?: string | undefined
}

/** The hints for builds that differ. */
interface Hints {
  /** The hint for a name that no longer belongs to the program beside it. */
  readonly repair: (stale: Installed, whole: Installed) => string
  /** The hint for names of the client that differ from those of this command. */
  readonly names: string
}

/**
 * Compares the builds of all programs; pure. `found` lists the shared executable of a directory before its other names. A
 * name with another version is a leftover of an upgrade.
 */
export function compareVersions(own: SuiteBuild, found: readonly Installed[], hints: Hints): Part {
  const lines = [`this command is ${renderVersion(own)}`, ...found.map(renderInstalled)]
  const [stale] = found.map((one) => ({ one, whole: chooseShared(one, found) })).filter(isLeftover)
  if (stale) {
    const cause = `${basename(stale.one.path)} in ${dirname(stale.one.path)} was left behind by an upgrade, and is another build than ${basename(stale.whole.path)} beside it`
    return { part: 'installation', outcome: 'bad', lines, cause, hint: hints.repair(stale.one, stale.whole) }
  }
  if (found.every(({ build }) => build && isSameBuild(build, own)))
    return { part: 'installation', outcome: 'good', lines }
  const isOneRelease = found.every(({ build }) => build && isSameRelease(build, own))
  const hint = isOneRelease
    ? hints.names
    : 'install gatepass and the helpers of one release: each release has its own rules'
  return { part: 'installation', outcome: 'note', lines, hint }
}

function chooseShared(one: Installed, found: readonly Installed[]): Installed {
  return found.find(({ path }) => dirname(path) === dirname(one.path)) ?? one
}

function isLeftover({ one, whole }: { one: Installed; whole: Installed }): boolean {
  return !one.build || !whole.build || !isSameBuild(one.build, whole.build)
}

/** Names that are not stated count as the same. */
function isSameBuild(a: SuiteBuild, b: SuiteBuild): boolean {
  const hasSameNames = a.vendor === b.vendor && (a.names ?? b.names) === (b.names ?? a.names)
  return isSameRelease(a, b) && hasSameNames
}

/** An unknown commit counts as the same. */
function isSameRelease(a: SuiteBuild, b: SuiteBuild): boolean {
  const isSameCommit = a.commit === b.commit || a.commit === 'unknown' || b.commit === 'unknown'
  return a.version === b.version && isSameCommit
}

function renderInstalled({ path, links = [], build }: Installed): string {
  const version = build ? `is ${renderVersion(build)}` : 'does not say its version'
  const names =
    links.length === 0 ? '' : `, and so are its other names: ${links.map((link) => basename(link)).join(', ')}`
  return `${basename(path)} in ${dirname(path)} ${version}${names}`
}

function renderVersion({ version, commit, vendor, names }: SuiteBuild): string {
  return `${version} (commit ${commit}, for ${vendor}${names === undefined ? '' : `, names ${names}`})`
}
