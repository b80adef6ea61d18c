import { dirname, isAbsolute } from 'node:path'
import { type Look, observeLooks } from '../../runtime/disk.ts'
import type { Host } from '../../runtime/host.ts'
import { notingSearches, settledAfterMs } from '../../runtime/program/file-state.ts'
import type { SeenProgram } from '../../runtime/program/find-program-file.ts'
import { listingNames, listNames, type NameList } from '../../runtime/program/identity-variables.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { findNameSource } from '../../vendor/setting.ts'
import { isPublicVariable, type SeenFile, type SeenVariables, toSeenFile, toSeenVariables } from './seen-file.ts'

/** The reads of a call between its start and its key. */
export interface ObservedReads {
  readonly variables: SeenVariables
  readonly files: readonly SeenFile[]
  readonly programs: readonly SeenProgram[]
}

/** A call whose reads are observed, as long as it finds out which token it needs. */
export interface ObservedCall {
  /** The system, for options and plan. */
  readonly host: Host
  /** Notes that the result depends on something that a later call cannot check. */
  spoil(): void
  /** Ends the observation. A call that plans twice, because of a sign-in, cannot be looked at again. */
  stop(): void
  /** Gives the reads of the call; `undefined` if a later call could not tell whether it would read the same. */
  find(): ObservedReads | undefined
}

/** Observes every read that goes through the host or through `runtime/disk.ts`. */
export function observeCall(host: Host): ObservedCall {
  const names: SeenNames = { variables: new Map(), lists: new Set(), programs: [], lastChange: 0 }
  // The vendor file was looked at before: another one would mean another answer.
  const looks = [...findNameSource().looks] as Look[] // as they were noted
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

/** More files, and more programs, than any plan reads or searches. */
const maxFiles = 64

/** The variables that were asked for, with their values, which names were listed, and which programs were searched. */
interface SeenNames {
  readonly variables: Map<string, string | undefined>
  readonly lists: Set<NameList>
  readonly programs: SeenProgram[]
  /** When a program that was found last changed, in milliseconds since the epoch. */
  lastChange: number
}

/** Notes each variable that is asked for, each list of names and each search. A list of all is too long to look at again. */
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

/** A plan that depends on the time, or on who reads the output, cannot be checked again. */
function observeUse<T extends object>(part: T, spoil: () => void): T {
  return new Proxy(part, {
    get: (_, name) => {
      spoil()
      return Reflect.get(part, name)
    },
  })
}

/** `undefined` where one cannot be looked at again, or was seen twice and changed in between. */
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

/** Everything below a missing directory is missing too, so that a later call looks for the directory only. */
function dropImplied(files: readonly SeenFile[]): SeenFile[] {
  const missing = new Set(files.flatMap(([path, kind, status]) => (kind === 'link status' && !status ? [path] : [])))
  return files.filter(([path, , status]) => status || !listAbove(path).some((directory) => missing.has(directory)))
}

function listAbove(path: string): string[] {
  const directory = dirname(path)
  return directory === path ? [] : [directory, ...listAbove(directory)]
}

/** The client chooses the working directory, and the system's own files change without a later time. */
function isStable(path: string): boolean {
  return isAbsolute(path) && !/^\/(dev|proc|sys)\//.test(path)
}
