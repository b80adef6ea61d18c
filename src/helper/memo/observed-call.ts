import { dirname, isAbsolute } from 'node:path'
import { type Look, observeLooks } from '../../runtime/disk.ts'
import type { Host } from '../../runtime/host.ts'
import { notingSearches, settledAfterMs } from '../../runtime/program/file-state.ts'
import type { SeenProgram } from '../../runtime/program/find-program-file.ts'
import { listingNames, listNames, type NameList } from '../../runtime/program/identity-variables.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { selectNameSource } from '../../vendor/setting.ts'
import { isPublicVariable, type SeenFile, type SeenVariables, toSeenFile, toSeenVariables } from './seen-file.ts'

/** The reads of a call between its start and the computation of its key. */
export interface ObservedReads {
  readonly variables: SeenVariables
  readonly files: readonly SeenFile[]
  readonly programs: readonly SeenProgram[]
}

/** A call whose reads are recorded until its key is known. */
export interface ObservedCall {
  /** The host that records reads, for resolving the options and for the plan. */
  readonly host: Host
  /** Records that the result depends on something that a later call cannot compare, so that no memo is written. */
  spoil(): void
  /** Stops recording. A call that plans twice, because of a sign-in, cannot be repeated from a memo. */
  stop(): void
  /** Returns the recorded reads; `undefined` if a later call could not tell whether it would read the same. */
  find(): ObservedReads | undefined
}

/** Records every read that goes through the host or through `runtime/disk.ts`. */
export function observeCall(host: Host): ObservedCall {
  const names: SeenNames = { variables: new Map(), lists: new Set(), programs: [], lastChange: 0 }
  // The vendor file was read earlier. Another vendor would mean another answer.
  const looks = [...selectNameSource().looks] as Look[] // the file that collects them may not import their type
  let isSpoilt = false
  let isStopped = false
  const spoil = () => {
    isSpoilt = true
  }
  observeLooks((look) => looks.push(look))
  return {
    host: {
      ...host,
      env: observeEnvironment(host.env, names, spoil),
      clock: observeUse(host.clock, spoil),
      streams: observeUse(host.streams, spoil),
    },
    spoil,
    stop: () => {
      if (isStopped) spoil()
      isStopped = true
      observeLooks()
    },
    find: () => {
      const { startedAt } = host.clock
      const isSettled = names.lastChange <= startedAt - settledAfterMs
      if (isSpoilt || !isSettled || looks.length > maxFiles || names.programs.length > maxFiles) return undefined
      const files = toSeenFiles(looks, startedAt)
      const { variables, lists, programs } = names
      const isPublic = [...variables].every(([name, value]) => value === undefined || isPublicVariable(name, value))
      if (!files || !isPublic) return undefined
      return { files, programs, variables: toSeenVariables(host.env, [...variables.keys()], [...lists]) }
    },
  }
}

/** More files, and more programs, than any plan uses. */
const maxFiles = 64

/** The variables that were read, with their values, the groups of names that were listed, and the programs that were searched for. */
interface SeenNames {
  readonly variables: Map<string, string | undefined>
  readonly lists: Set<NameList>
  readonly programs: SeenProgram[]
  /** The latest modification of any program that was found, in milliseconds since the epoch. */
  lastChange: number
}

/**
 * Records each variable that is read, each group of names that is listed, and each search for a program. A list of all variables cannot be
 * compared later, because it is too long.
 */
function observeEnvironment(env: Environment, names: SeenNames, spoil: () => void): Environment {
  const { variables, lists, programs } = names
  const note = (name: string | symbol) => {
    if (typeof name === 'string') variables.set(name, env[name])
  }
  const list = (which: NameList) => {
    lists.add(which)
    return listNames(env, which)
  }
  const search = {
    env,
    note: (seen: SeenProgram, changedAt: number) => {
      programs.push(seen)
      names.lastChange = Math.max(names.lastChange, changedAt)
    },
  }
  return new Proxy(env, {
    get: (_, name) => {
      note(name)
      if (name === listingNames) return list
      return name === notingSearches ? search : Reflect.get(env, name)
    },
    has: (_, name) => {
      note(name)
      return Reflect.has(env, name)
    },
    getOwnPropertyDescriptor: (_, name) => {
      note(name)
      return Reflect.getOwnPropertyDescriptor(env, name)
    },
    ownKeys: () => {
      spoil()
      return Reflect.ownKeys(env)
    },
  })
}

/** Wraps a part of the host whose use cannot be compared later: the clock, or the kind of the streams. */
function observeUse<T extends object>(part: T, spoil: () => void): T {
  return new Proxy(part, {
    get: (_, name) => {
      spoil()
      return Reflect.get(part, name)
    },
  })
}

/**
 * Converts the recorded looks to files; `undefined` if one of them cannot be compared later, or was seen twice with a change in between.
 */
function toSeenFiles(looks: readonly Look[], startedAt: number): SeenFile[] | undefined {
  const files = new Map<string, SeenFile>()
  for (const look of looks) {
    const seen = isStable(look.path) ? toSeenFile(look, startedAt) : undefined
    const name = `${look.kind} ${look.path}`
    if (!seen || (files.get(name)?.[2] ?? seen[2]) !== seen[2]) return undefined
    files.set(name, seen)
  }
  return dropImplied([...files.values()])
}

/**
 * Returns whether a path names the same file in every call. A relative path does not, because the client chooses the working directory; and
 * the system's own files may change without a new modification time.
 */
function isStable(path: string): boolean {
  return isAbsolute(path) && !/^\/(dev|proc|sys)\//.test(path)
}

/** Drops files below a missing directory. They are missing too, so a later call looks only for the directory. */
function dropImplied(files: readonly SeenFile[]): SeenFile[] {
  const missing = new Set(files.flatMap(([path, kind, status]) => (kind === 'link status' && !status ? [path] : [])))
  return files.filter(([path, , status]) => status || !listAbove(path).some((directory) => missing.has(directory)))
}

function listAbove(path: string): string[] {
  const directory = dirname(path)
  return directory === path ? [] : [directory, ...listAbove(directory)]
}
