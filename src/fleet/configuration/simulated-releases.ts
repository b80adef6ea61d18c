import {
  type ChangedPointer,
  chooseHalt,
  choosePromotion,
  refuseUnfinished,
  requirePrevious,
  withPointerChange,
} from '../../bootstrap/change-pointer.ts'
import {
  type LoadedRelease,
  type OpenRelease,
  type ReleasedDocument,
  toLoadedGroup,
} from '../../bootstrap/open-release.ts'
import { digestFile } from '../../bootstrap/read-release-file.ts'
import { isForEverybody, type Manifest, toCombinationKey } from '../../bootstrap/release.ts'
import { digestSubject, type Member } from '../../bootstrap/select-document.ts'
import { nestedSchemaVersion } from '../../contract/served-document.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { ConfigurationChange, ConfigurationDay } from './configuration-day.ts'

/** The releases that the configuration server serves during a day, and their waves. */
export interface SimulatedReleases {
  /** The states in order of time. The first is served when the day begins. */
  readonly states: readonly SimulatedState[]
  /** The number of releases; they are numbered from 1. */
  readonly count: number
  /** The digests of the documents that name a wrong gateway. */
  readonly wrong: ReadonlySet<string>
}

/**
 * Creates the releases of a day by the rules of the publishing commands.
 * @throws {HelperError} `usage` for a command that would be refused at its time.
 */
export function createSimulatedReleases(day: ConfigurationDay): SimulatedReleases {
  const releases = new Map<string, LoadedRelease>()
  const wrong = new Set<string>()
  const add = (content: ReleaseContent) => {
    const release = createRelease(day, content)
    releases.set(release.digest, release)
    if (content.gateway === 'wrong') for (const digest of content.changed) wrong.add(digest)
    return release
  }
  const first = add(createContent(day, undefined, { gateway: 'right', group: undefined }))
  const states: SimulatedState[] = [
    { at: Number.NEGATIVE_INFINITY, open: toOpen(undefined, toFirst(first), releases), words: 'release 1' },
  ]
  for (const change of day.changes) {
    const { open } = states.at(-1)!
    const next = toOpen(open, runCommand(change, open, { day, add }), releases)
    states.push({ at: change.at, open: next, words: describeState(change, next) })
  }
  return { states, count: releases.size, wrong }
}

/** The release that is served from a time on. */
interface SimulatedState {
  /** Seconds of the day. */
  readonly at: number
  readonly open: OpenRelease
  /** The change, such as `release 2 to wave 1 of 4`. */
  readonly words: string
}

interface ReleaseContent {
  readonly previous: LoadedRelease | undefined
  readonly counter: number
  readonly gateway: 'right' | 'wrong'
  readonly documents: ReadonlyMap<string, ReleasedDocument>
  /** The digests of the documents that the release before lacks. */
  readonly changed: readonly string[]
}

type Publication = Pick<Extract<ConfigurationChange['command'], { type: 'release' }>, 'gateway' | 'group'>

/** Creates the documents of a new release: those of its groups change, the others stay. */
function createContent(
  day: ConfigurationDay,
  open: OpenRelease | undefined,
  { gateway, group }: Publication,
): ReleaseContent {
  const counter = (open?.pointer.releases ?? 0) + 1
  const previous = open?.current
  const combinations = listCombinations(day.groups.map(({ name }) => name))
  const isTouched = (groups: readonly string[]) => group === undefined || groups.includes(group)
  const documents = new Map(
    combinations.map((groups) => {
      const key = toCombinationKey(groups)
      const kept = isTouched(groups) ? undefined : previous?.documents.get(key)
      return [key, kept ?? createDocument(key, counter, gateway)]
    }),
  )
  const known = new Set(previous?.documents.values().map(({ digest }) => digest))
  const changed = [...documents.values()].map(({ digest }) => digest).filter((digest) => !known.has(digest))
  return { previous, counter, gateway, documents, changed }
}

function listCombinations([name, ...others]: readonly string[]): string[][] {
  if (name === undefined) return [[]]
  const without = listCombinations(others)
  return [...without, ...without.map((groups) => [name, ...groups])]
}

function createDocument(groups: string, counter: number, gateway: 'right' | 'wrong'): ReleasedDocument {
  const baseUrl = gateway === 'right' ? 'https://gateway.example.com' : 'https://wrong.example.com'
  const customHeaders = { 'x-groups': groups, 'x-release': String(counter) }
  const value = { $schemaVersion: nestedSchemaVersion, inference: { baseUrl, customHeaders, provider: 'gateway' } }
  const bytes = Buffer.from(JSON.stringify(value))
  return { digest: digestFile(bytes), bytes, value }
}

function createRelease(
  { seed, groups, waves, pilot }: ConfigurationDay,
  { previous, counter, documents }: ReleaseContent,
): LoadedRelease {
  const id = `${counter}-${digestFile(JSON.stringify([seed, counter])).slice(0, 12)}`
  const manifest: Manifest = {
    type: 'bootstrap-manifest',
    format: 1,
    id,
    counter,
    publishedAt: new Date(0).toISOString(),
    previous: previous?.digest,
    subject: 'sub',
    others: 'base',
    groups: groups.map(({ name }) => ({ name, claims: { groups: [name] } })),
    waves: [...waves],
    pilot: Array.from({ length: pilot }, (_, person) => digestSubject(id, toSubject(person))),
    combinations: [...documents].map(([key, { digest }]) => ({
      groups: key.split(',').filter(Boolean),
      document: digest,
    })),
  }
  const digest = digestFile(JSON.stringify(manifest))
  return { manifest, digest, groups: manifest.groups.map(toLoadedGroup), pilot: new Set(manifest.pilot), documents }
}

function toFirst({ digest, manifest }: LoadedRelease): ChangedPointer {
  return { manifest: digest, releases: manifest.counter, wave: manifest.waves.length, state: 'advancing' }
}

interface CommandParts {
  readonly day: ConfigurationDay
  readonly add: (content: ReleaseContent) => LoadedRelease
}

/** The release folder of a simulated day. No hint shows it, because the way out is in the scenario. */
const simulatedFolder = 'releases'

function toOpen(
  before: OpenRelease | undefined,
  change: ChangedPointer,
  releases: ReadonlyMap<string, LoadedRelease>,
): OpenRelease {
  const pointer = withPointerChange(before?.pointer, change, 0)
  const current = releases.get(pointer.manifest)!
  const { previous } = current.manifest
  const digest = digestFile(JSON.stringify(pointer))
  if (isForEverybody(pointer, current.manifest) || previous === undefined) return { pointer, digest, current }
  return { pointer, digest, current, previous: releases.get(previous)! }
}

function runCommand(change: ConfigurationChange, open: OpenRelease, parts: CommandParts): ChangedPointer {
  try {
    return applyCommand(change.command, open, parts)
  } catch (cause) {
    if (!(cause instanceof HelperError)) throw cause
    throw new HelperError(
      'usage',
      `${renderTime(change.at)} ${change.command.type}: ${cause.message}`,
      'correct "changes" in the scenario',
      { cause },
    )
  }
}

function applyCommand(
  command: ConfigurationChange['command'],
  open: OpenRelease,
  { day, add }: CommandParts,
): ChangedPointer {
  switch (command.type) {
    case 'release': {
      refuseUnfinished(open, simulatedFolder)
      const { digest, manifest } = add(createContent(day, open, command))
      return { manifest: digest, releases: manifest.counter, wave: 0, state: 'advancing' }
    }
    case 'promote':
    case 'resume':
      return choosePromotion(open, {
        wave: command.wave,
        isResumed: command.type === 'resume',
        directory: simulatedFolder,
      })
    case 'halt':
      return chooseHalt(open, simulatedFolder)
    case 'revert':
      return {
        manifest: requirePrevious(open, simulatedFolder),
        wave: open.current.manifest.waves.length,
        state: 'advancing',
      }
  }
}

function renderTime(at: number): string {
  return new Date(at * 1000).toISOString().slice(11, 16)
}

function describeState({ command }: ConfigurationChange, { pointer, current: { manifest } }: OpenRelease): string {
  const { counter, waves } = manifest
  switch (command.type) {
    case 'release': {
      const group = command.group === undefined ? '' : ` for ${command.group}`
      const gateway = command.gateway === 'wrong' ? ', which names a wrong gateway' : ''
      return `release ${counter}${group} to its pilot${gateway}`
    }
    case 'promote':
    case 'resume':
      return `release ${counter} to wave ${pointer.wave} of ${waves.length}: ${waves[pointer.wave - 1]} %`
    case 'halt':
      return `release ${counter} is halted`
    case 'revert':
      return `back to release ${counter}`
  }
}

/** Returns the claim that identifies a person. */
function toSubject(person: number): string {
  return `person-${person}`
}

/** Returns a person in the form of a verified token's owner. */
export function toMember(person: number, groups: readonly string[]): Member {
  const subject = toSubject(person)
  return { kind: 'jwt', issuer: 'https://id.example.com', subject, claims: { sub: subject, groups: [...groups] } }
}
