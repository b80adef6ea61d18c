import { isAbsolute } from 'node:path'
import { type Look, observeLooks } from '../../runtime/disk.ts'
import { type Environment, listNames, namesBeginning } from '../../runtime/environment.ts'
import type { Host } from '../../runtime/host.ts'
import { findNameSource } from '../../vendor/name-source.ts'
import { type SeenFile, toSeenFile } from './seen-file.ts'
import { isPublicVariable, type SeenVariables, toSeenVariables } from './seen-variables.ts'

/** What a call has read between its start and its key. */
export interface Observations {
  readonly variables: SeenVariables
  readonly files: readonly SeenFile[]
}

/** A call whose reads are observed, as long as it finds out which token it needs. */
export interface ObservedCall {
  /** The system, for options and plan. */
  readonly host: Host
  /** Notes that what was found depends on something that cannot be looked at again. */
  spoil(): void
  /** Ends the observation. A call that plans twice, because of a sign-in, cannot be looked at again. */
  stop(): void
  /** What was read; `undefined` where a later call could not tell whether it would read the same. */
  find(): Observations | undefined
}

/** The variables that were asked for, with their values, and the prefixes of which names were listed. */
interface SeenNames {
  readonly variables: Map<string, string | undefined>
  readonly prefixes: Set<string>
}

/** More files than any plan reads. */
const mostFiles = 64

/** Observes every read that goes through the host or through `runtime/disk.ts`. */
export function observeCall(host: Host): ObservedCall {
  const names: SeenNames = { variables: new Map(), prefixes: new Set() }
  // What decides the names was looked at before: another file would mean another answer.
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
      clock: spoilOnUse(host.clock, spoil),
      streams: spoilOnUse(host.streams, spoil),
    },
    spoil,
    stop: () => {
      if (isStopped) spoil()
      isStopped = true
      observeLooks()
    },
    find: () => {
      if (isSpoilt || looks.length > mostFiles) return undefined
      const files = toSeenFiles(looks, host.clock.startedAt)
      const { variables, prefixes } = names
      const isPublic = [...variables].every(([name, value]) => value === undefined || isPublicVariable(name, value))
      if (!files || !isPublic) return undefined
      return { files, variables: toSeenVariables(host.env, [...variables.keys()], [...prefixes]) }
    },
  }
}

/** Notes each variable that is asked for, and each list of names. A list of all is too long to look at again. */
function observeEnvironment(env: Environment, { variables, prefixes }: SeenNames, spoil: () => void): Environment {
  const note = (name: string | symbol) => {
    if (typeof name === 'string') variables.set(name, env[name])
  }
  const list = (prefix: string) => {
    prefixes.add(prefix)
    return listNames(env, prefix)
  }
  return new Proxy(env, {
    get: (_, name) => {
      note(name)
      return name === namesBeginning ? list : Reflect.get(env, name)
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

/** What depends on the time, or on who reads the output, cannot be looked at again. */
function spoilOnUse<T extends object>(part: T, spoil: () => void): T {
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
  return [...files.values()]
}

/** The client chooses the working directory, and the system's own files change without a later time. */
function isStable(path: string): boolean {
  return isAbsolute(path) && !/^\/(dev|proc|sys)\//.test(path)
}
