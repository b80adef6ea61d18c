import { readdirSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { execa } from 'execa'
import { onTestFinished } from 'vitest'
import type { ClientContext } from '../../../src/contract/context.ts'
import { toContextVariables } from '../../../src/contract/detect-context.ts'
import { parseNote, type SignInNote } from '../../../src/sources/oauth/progress/note.ts'
import type { Outcome } from '../../setup/run-program.ts'
import { temporaryDirectory } from '../../setup/temporary-directory.ts'
import { waitUntil } from '../../setup/wait-until.ts'
import type { ProviderSettings } from './made-up-declaration.ts'

/** The command line of the made-up helper, and the name under which its caller starts it. */
export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly argv0?: string
}

const fromSource: Program = { file: process.execPath, args: [join(import.meta.dirname, 'made-up-helper.ts')] }

/** A run of the made-up helper. */
export interface SignInRun {
  readonly pid: number
  readonly outcome: Promise<Outcome>
  /** The output so far. */
  said(): string
}

/** A person's machine with a browser that opens nothing, and writes down the addresses that it is given. */
interface Desk {
  readonly home: string
  /** Starts a run; `terminal` is the context of a person, who gives no other. */
  start(
    argv?: readonly string[],
    context?: ClientContext | 'terminal',
    env?: Readonly<Record<string, string>>,
  ): SignInRun
  /** The addresses of the tabs, in the order in which they were opened. */
  readTabs(): Promise<string[]>
  /** Waits for that many tabs, and gives the last. */
  untilTab(count?: number): Promise<URL>
  /** The note of the sign-in; `undefined` where there is none. */
  readNote(): SignInNote | undefined
}

/** Sets one up until the test is over; a process that signs in is ended then. */
export async function startDesk(settings: ProviderSettings = {}, program = fromSource): Promise<Desk> {
  const home = await temporaryDirectory()
  const log = join(home, 'tabs')
  const browser = join(home, 'made-up browser')
  await writeFile(join(home, 'provider.json'), JSON.stringify(settings))
  await writeFile(log, '')
  await writeFile(browser, `#!/bin/sh\nprintf '%s\\n' "$1" >> "$HOME/tabs"\n`)
  await chmod(browser, 0o755)
  await mkdir(join(home, '.cache'))
  const env = { HOME: home, PATH: '/usr/bin:/bin', BROWSER: browser, SECRET_OF_THE_CLIENT: 'canary' }
  const readTabs = async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean)
  const readNote = () => findNote(join(home, '.cache', 'gatepass'))
  onTestFinished(() => endProcess(readNote()?.pid))
  return {
    home,
    readTabs,
    readNote,
    start: (argv = [], context = 'interactive', more = {}) =>
      startRun(program, argv, { ...env, ...(context === 'terminal' ? {} : toContextVariables(context)), ...more }),
    untilTab: async (count = 1) => {
      await waitUntil(`tab ${count} is opened`, async () => (await readTabs()).length >= count)
      return new URL((await readTabs()).at(-1) ?? '')
    },
  }
}

function startRun(
  { file, args, argv0 }: Program,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): SignInRun {
  const child = execa(file, [...args, ...argv], {
    ...(argv0 !== undefined && { argv0 }),
    env,
    extendEnv: false,
    stdin: 'ignore',
    reject: false,
    stripFinalNewline: false,
    cwd: '/',
    detached: true, // a group of its own, as a client starts it, which a test can kill
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stderr?.on('data', (text) => {
    said += text
  })
  const outcome = child.then(({ exitCode, signal, stdout, stderr }) => ({
    status: exitCode ?? signal ?? 'not started',
    stdout: String(stdout),
    stderr: String(stderr),
  }))
  return { pid: child.pid ?? 0, outcome, said: () => said }
}

function findNote(directory: string): SignInNote | undefined {
  try {
    const name = readdirSync(directory).find((file) => file.endsWith('.signin'))
    return name === undefined ? undefined : parseNote(readFileSync(join(directory, name), 'utf8'))
  } catch {
    return undefined // there is no cache yet
  }
}

function endProcess(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Acts as the person's browser when the provider sends it back: with a code, or with what is given. */
export async function comeBack(tab: URL, query: Record<string, string> = { code: 'one' }): Promise<Response> {
  const { redirect_uri: uri = '', state = '' } = Object.fromEntries(tab.searchParams)
  return fetch(`${uri}?${new URLSearchParams({ state, ...query })}`)
}
