import { basename, isAbsolute } from 'node:path'
import type { ProgramDependence, WatchedFiles } from '../../helper/define-helper.ts'
import { digestBytes, toSha256 } from '../../runtime/digest.ts'
import {
  expandHome,
  readExactStatus,
  readOpenBytes,
  readRealPath,
  readStatus,
  readWith,
  unwaitingFlags,
} from '../../runtime/disk.ts'
import { findErrorCode, HelperError } from '../../runtime/failure.ts'
import { digestFingerprint } from '../../runtime/files/fingerprint.ts'
import { computeLastChange, renderState } from '../../runtime/program/file-state.ts'
import { findProgramFile, type ProgramFile } from '../../runtime/program/find-program-file.ts'
import { listNames, rotatingVariables } from '../../runtime/program/identity-variables.ts'
import type { Environment } from '../../runtime/run-process.ts'
import { describeLook, ownSystem } from '../../runtime/text/quote.ts'
import { locateKnownFiles } from './known-files.ts'
import type { ProgramHost } from './program.ts'
import { expandWatched, type ProgramOptions } from './program-options.ts'

/** The facts that decide whose token a program prints, besides the words of the command. */
export interface ProgramIdentity extends ProgramDependence {
  /** The facts for the cache key, as JSON. The values of variables are digested, because some are secrets. */
  readonly inputs: unknown
}

/**
 * Collects the facts that decide whose token a program prints: the file that PATH leads to, the variables by which programs choose an
 * identity, and the variables that the command or an option names. Other variables are left out, because a client sets some of them anew
 * for each process.
 */
export async function collectProgramIdentity(
  host: ProgramHost,
  command: RunCommand,
  { watch, 'watch-variable': watched }: ProgramOptions,
): Promise<ProgramIdentity> {
  const { env, home } = host
  const listed = 'line' in command ? parseShellLine(command.line) : parseProgramCall(command.name, command.args)
  const variables = listVariables(env, [...watched, ...listed.variables, ...(listed.isOpen ? ['PATH'] : [])])
  const names = listed.names.map((name) => expandHome(name, home))
  // A missing program may be on the PATH of the login shell, which is read only when a token is needed.
  const found = await Promise.all(names.map((name) => findProgramFile({ name, path: command.path }, host)))
  const files = found.filter((file) => file !== undefined)
  const words = 'line' in command ? command.line.split(/[\s"']+/) : command.args
  const known = await locateKnownFiles(names, host, words)
  return {
    inputs: {
      ...command,
      found: names.map((name, index) => [name, found[index]?.file ?? null]),
      directory: listed.isRelative ? await locateDirectory() : undefined,
      environment: digestValues(env, variables),
    },
    variables,
    programs: [...new Set(files.map(({ file }) => file))],
    watched: await readWatchedFiles(host, { named: watch, known, programs: files }),
  }
}

/** A program or a shell line, and the PATH on which it is searched instead of the PATH of this process. */
type RunCommand = { readonly path: string | undefined } & (
  | { readonly name: string; readonly args: readonly string[] }
  | { readonly line: string }
)

/** Collects the files and variables that options name, if no program is run; `undefined` if they name none. */
export async function findNamedIdentity(
  host: ProgramHost,
  { watch, 'watch-variable': names }: ProgramOptions,
): Promise<ProgramIdentity | undefined> {
  const { env } = host
  if (watch.length + names.length === 0) return undefined
  const variables = names.filter((name) => env[name] !== undefined).toSorted()
  return {
    inputs: { environment: digestValues(env, variables) },
    variables,
    watched: await readWatchedFiles(host, { named: watch, known: [], programs: [] }),
  }
}

function digestValues(env: Environment, names: readonly string[]): string {
  return toSha256(JSON.stringify(names.map((name) => [name, env[name]])))
}

/** Parses the programs of a line that a shell runs. */
function parseShellLine(line: string): NamedPrograms {
  const [name] = listFirstWords(line)
  const isSimple =
    name !== undefined && !/[|&;<>(){}`\n]/.test(line) && !isUnknown(name) && !runners.test(basename(name))
  if (!isSimple) return parseWholeLine(line)
  const isRelative = isRelativePath(name)
  // A path that begins with a variable depends on the variable, whose value counts.
  const names = isRelative || /[$%]/.test(name) ? [] : [name]
  return { names, variables: listNamedVariables(line), isOpen: false, isRelative }
}

/** Parses the programs of a command that runs without a shell. A variable whose name is one of its words counts, as for `printenv`. */
function parseProgramCall(name: string, args: readonly string[]): NamedPrograms {
  const words = args.filter((arg) => /^[A-Z_][A-Z\d_]*$/.test(arg))
  if (!runners.test(basename(name))) return { names: [name], variables: words, isOpen: false, isRelative: false }
  const inner = parseWholeLine(args.join('\n'))
  return { ...inner, names: [name, ...inner.names], variables: [...words, ...inner.variables] }
}

function listVariables(env: Environment, more: readonly string[]): string[] {
  const rotating: ReadonlySet<string> = new Set(rotatingVariables)
  const counted = listNames(env, 'of identities').filter((name) => !rotating.has(name.toUpperCase()))
  return [...new Set([...counted, ...more.filter((name) => env[name] !== undefined)])].sort()
}

/** The programs that a command runs, as far as its words show. */
interface NamedPrograms {
  /** Absolute paths, and names that are looked up on PATH. Some may not be programs. */
  readonly names: readonly string[]
  /** Variables that the command names. */
  readonly variables: readonly string[]
  /** Set if only a shell could tell which programs these are, so that the whole PATH counts. */
  readonly isOpen: boolean
  /** Set if a program's path begins in the working directory. */
  readonly isRelative: boolean
}

/** Programs that run another one, which is one of their arguments. */
const runners =
  /^(?:(?:ba|da|z|k|fi)?sh|busybox|env|exec|nohup|nice|timeout|setsid|stdbuf|time|command|xargs|sudo|doas|cmd|pwsh|powershell)(?:\.exe)?$/i

/** Words that shells interpret themselves. They are not looked up. */
const shellWords =
  /^(?:if|then|elif|else|fi|for|in|do|done|while|until|case|esac|function|exit|return|read|export|set|unset|shift|local|cd|echo|printf|test|true|false|trap|wait)$/

/** More words than a command with a few programs has. Our decision. */
const maxNames = 12

/**
 * Locates the working directory, on which a relative path in a shell line depends. No memo is written then, because a later call cannot check
 * it.
 */
async function locateDirectory(): Promise<string> {
  await readStatus('.')
  return readRealPath('.')
}

/** Takes every word of a line that may be the name of a program, because only a shell can tell which of them are. */
function parseWholeLine(line: string): NamedPrograms {
  const names = [...new Set(line.split(/[\s|&;<>(){}"'`]+/).filter(isProgramLike))]
  const first = listFirstWords(line)
  return {
    names: names.slice(0, maxNames),
    variables: listNamedVariables(line),
    isOpen: names.length > maxNames || first.some(isUnknown),
    isRelative: first.some(isRelativePath),
  }
}

function isProgramLike(word: string): boolean {
  return /^(?:[A-Za-z_][\w.+-]*|~?\/[\w.+/-]+)$/.test(word) && !shellWords.test(word)
}

/** Lists the first word of each command in a line, after the variables that are set for the command. */
function listFirstWords(line: string): string[] {
  const commands = line.replace(/\$\{(\w+)[^}]*\}/g, '$$$1').split(/\$\(|[|&;(){}`\n]/)
  return commands.flatMap((command) => {
    const bare = command.replace(/^\s*(?:[A-Za-z_]\w*=\S*\s+)*/, '')
    const words = /^(?:"([^"]+)"|'([^']+)'|([^\s'"]+))/.exec(bare)
    return words?.slice(1).find((word) => word !== undefined) ?? []
  })
}

/** Returns whether the first word of a command becomes the name of a program only in the shell. */
function isUnknown(word: string): boolean {
  return /^(?:eval|source|\.)$/.test(word) || (/[$%]/.test(word) && !/[/\\]/.test(word))
}

function isRelativePath(word: string): boolean {
  return /[/\\]/.test(word) && !isAbsolute(word) && !/^(?:[~$%"'-]|[A-Za-z]:)/.test(word)
}

/** Lists the variables in a line: `$NAME`, `${NAME}`, `$env:NAME` and `%NAME%`. */
function listNamedVariables(line: string): string[] {
  const found = line.matchAll(/\$\{?(?:env:)?([A-Za-z_]\w*)|%([A-Za-z_]\w*)%/gi)
  return [...new Set([...found].map(([, posix, windows]) => (posix ?? windows)!))]
}

/** In bytes: the content of a longer file is not read; its size and times count. Our decision. */
const longestReadBytes = 1024 * 1024

/** The paths whose change voids the cached token. */
interface WatchedPaths {
  /** Files that an option names. Their absence and every change of their content count. */
  readonly named: readonly string[]
  /** Files of well-known programs, which count in the same way. */
  readonly known: readonly string[]
  /** Programs, of which the size and the times are compared. */
  readonly programs: readonly ProgramFile[]
}

/**
 * Watches files by their content, because a program may write the same text again. Their sizes and times are compared first, which
 * is enough if they have not changed.
 * @throws {HelperError} `usage` for a path that depends on the working directory, `not-configured` for a named file that cannot be read.
 */
export async function readWatchedFiles(
  host: ProgramHost,
  { named, known, programs }: WatchedPaths,
): Promise<WatchedFiles> {
  const namedPaths = named.map((path) => expandWatched(path, host))
  const paths = [...namedPaths, ...known.filter((path) => isAbsolute(path) && !namedPaths.includes(path))]
  const readAll = <T>(use: UseFile<T>) =>
    Promise.all(paths.map((path, index) => readFileState(path, use, index < namedPaths.length ? 'named' : 'known')))
  const look = async (files: readonly (ProgramFile | undefined)[]) => {
    const looks = await readAll(async (_, state, changedAt) => ({ state, changedAt }))
    const states = files.map((found) => found?.state ?? null)
    const render = (all: readonly unknown[]) => JSON.stringify([paths, all, states])
    const changes = [
      ...looks.map((each) => (typeof each === 'string' ? 0 : each.changedAt)),
      ...files.map((found) => found?.changedAt ?? 0),
    ]
    return {
      state: digestFingerprint(render(looks.map((each) => (typeof each === 'string' ? each : each.state)))),
      changedAt: Math.max(...changes),
      readContent: async () => toSha256(render(await readAll(readContent))),
    }
  }
  const locateAgain = () => Promise.all(programs.map(({ file }) => findProgramFile({ name: file }, host)))
  return { paths, found: await look(programs), look: async () => look(await locateAgain()) }
}

/** Reads something from an open file of this size and with these times. */
type UseFile<T> = (file: number, state: string, changedAt: number, size: bigint) => Promise<T>

/** Reads a file's state; `missing`, or the error code if a known program's file cannot be read. */
async function readFileState<T>(path: string, use: UseFile<T>, origin: 'named' | 'known'): Promise<T | string> {
  try {
    return await readWith(path, unwaitingFlags, async (file) => {
      const status = await readExactStatus(file)
      if (status.isFile()) return use(file, renderState(status), computeLastChange(status), status.size)
      throw Object.assign(new Error('no file'), { code: 'EISDIR' })
    })
  } catch (error) {
    const code = findErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing'
    if (code === undefined) throw error
    if (origin === 'named') throw toUnreadable(path, code)
    return code
  }
}

async function readContent(file: number, state: string, _: number, size: bigint): Promise<string> {
  return size > longestReadBytes ? state : digestBytes(await readOpenBytes(file))
}

function toUnreadable(path: string, code: string): HelperError {
  if (code === 'EISDIR')
    return new HelperError(
      'not-configured',
      `watch names ${path}, which is not a file`,
      'name the files in it that decide the account',
    )
  return new HelperError(
    'not-configured',
    `watch names ${path}, which cannot be read (${code})`,
    `make it readable for the user who runs this, or remove it; see: ${describeLook(path, ownSystem)}`,
  )
}
