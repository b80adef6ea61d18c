// Makes the tools that a flow gets from the process of its sign-in, such as the listener and the browser.

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { readText } from '../../runtime/disk.ts'
import { HelperError } from '../../runtime/failure.ts'
import { type Host, observeProcessId } from '../../runtime/host.ts'
import { isSecureAddress } from '../../runtime/network/addresses.ts'
import type { SignInParts, SignInPrompt, SignInTools } from './flow.ts'
import { type BrowserFacts, detectBrowserAccess, listOpeners, locateSystemProgram } from './list-openers.ts'
import type { Listeners } from './listener/create-listeners.ts'
import { attemptOpeners, describeUnopened, findAbsence } from './open-browser.ts'
import type { ShownPrompt } from './progress/note.ts'
import { toBrowserEnvironment } from './to-browser-environment.ts'

/** The tools of a flow, and what its process needs besides. */
export interface OwnTools extends SignInTools {
  /** Opens the shown address again. */
  reopen(): Promise<void>
  /** Never resolves. It rejects with the error of the caller's `openAddress`. */
  readonly failure: Promise<never>
}

/** Creates the tools of a sign-in in this process. */
export async function createTools(parts: SignInParts, { listeners, tell, ending }: OwnParts): Promise<OwnTools> {
  const { host, call } = parts
  const { canOpen: canOpenBrowser, problem, open } = await prepareOpener(parts)
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined) // nothing awaits it once the sign-in has ended
  let shown: ShownPrompt | undefined
  let expiresAt = Infinity
  const reopen = async (): Promise<void> => {
    if (!shown || !(shown.opens || shown.unopened) || host.clock.now() >= expiresAt) return
    const unopened = await open(shown.address)
    if (unopened === undefined) shown = { ...shown, opens: true, unopened: undefined, openedAt: host.clock.now() }
    else shown = toUnopened(shown, unopened, host.env.BROWSER)
    await tell(shown).catch(() => undefined) // if the disk is full, the other runs get no prompt
  }
  const show = async (prompt: SignInPrompt) => {
    const toShow = { ...toSafePrompt(prompt), opens: canOpenBrowser }
    shown = toShow.opens && problem !== undefined ? toUnopened(toShow, problem, host.env.BROWSER) : toShow
    expiresAt = prompt.expiresAt?.getTime() ?? Infinity
    await tell(shown)
    if (!shown.unopened) reopen().catch(failed.reject)
  }
  const failure = failed.promise
  return { host, call, canOpenBrowser, openListener: listeners.open, show, reopen, failure, ...ending }
}

/** The parts that the process of a sign-in adds to the tools. */
interface OwnParts {
  readonly listeners: Listeners
  readonly ending: Pick<SignInTools, 'signal' | 'beginStoring'>
  /** Writes the prompt for the waiting runs; called again when the browser has been opened. */
  tell(prompt: ShownPrompt): Promise<void>
}

/** Chooses how to open an address: the caller's own way, else the first program that opens a browser. */
async function prepareOpener({ host, call, way, openAddress }: SignInParts): Promise<AddressOpener> {
  if (openAddress) return { canOpen: way !== 'device', open: (address) => openAddress(address).then(() => undefined) }
  const { env } = host
  const facts = await call.deadline.during('sign-in', 'finding out whether a browser can be opened', ({ signal }) =>
    readBrowserFacts(host, signal),
  )
  const describe = (failed: Awaited<ReturnType<typeof attemptOpeners>>) =>
    failed && describeUnopened(failed, env.BROWSER)
  const absence = call.deadline.during('sign-in', 'finding the program that opens a browser', () =>
    findAbsence(listOpeners(facts, ''), host),
  )
  return {
    canOpen: way === 'browser' || (way === 'auto' && detectBrowserAccess(facts) === 'here'),
    problem: describe(await absence),
    open: async (address) => describe(await attemptOpeners(listOpeners(facts, address), toBrowserEnvironment(env))),
  }
}

/** Creates the prompt for a person who has to open the address. A run with another browser setting begins a new sign-in. */
function toUnopened(shown: ShownPrompt, problem: string, browser: string | undefined): ShownPrompt {
  return { ...shown, opens: false, unopened: { problem, browser } }
}

/** Refuses an address that is not that of a web page, because it becomes an argument of a program and a link. */
function toSafePrompt({ address, userCode }: SignInPrompt): Pick<ShownPrompt, 'address' | 'userCode'> {
  const url = URL.parse(address)
  if (url && isSecureAddress(url)) return { address: url.href, userCode }
  throw new HelperError(
    'refused',
    'the provider gave an address for the sign-in that is not an https address',
    'report this to whoever runs the provider; a proxy may also have changed its answer',
  )
}

/** A way of opening an address for a person. */
interface AddressOpener {
  /** Whether the person would see a browser that is opened here. */
  readonly canOpen: boolean
  /** Why no browser can be started; `undefined` if only an attempt can tell. */
  readonly problem?: string | undefined
  /** @returns why it was not opened; `undefined` if it was. */
  open(address: string): Promise<string | undefined>
}

/**
 * Collects the {@link BrowserFacts}. On Windows and macOS this starts a process, so it is done only when needed. The process is a
 * system tool that starts no others, so no library is needed to end it.
 */
export async function readBrowserFacts(
  host: Pick<Host, 'env' | 'platform'>,
  signal: AbortSignal,
): Promise<BrowserFacts> {
  const { env, platform } = host
  const [kernel, session] = await Promise.all([
    platform === 'linux' ? readText('/proc/version').catch(() => '') : '',
    readSession(host, signal),
  ])
  return { env, platform, kernel, session }
}

async function readSession(
  { env, platform }: Pick<Host, 'env' | 'platform'>,
  signal: AbortSignal,
): Promise<BrowserFacts['session']> {
  const question = questions[platform]?.(env)
  if (!question) return 'unknown'
  const { program, args, parse } = question
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      env,
      signal,
      killSignal: 'SIGKILL',
      windowsHide: true,
    })
    return parse(stdout)
  } catch (error) {
    if (signal.aborted) throw error
    return 'unknown'
  }
}

interface BrowserQuestion {
  readonly program: string
  readonly args: readonly string[]
  parse(answer: string): BrowserFacts['session']
}

const questions: Partial<Record<NodeJS.Platform, (env: Host['env']) => BrowserQuestion>> = {
  darwin: () => ({ program: '/bin/launchctl', args: ['managername'], parse: parseManagerName }),
  win32: (env) => ({
    program: locateSystemProgram(env, 'tasklist.exe'),
    args: ['/fo', 'csv', '/nh', '/fi', `PID eq ${observeProcessId()}`],
    parse: parseTaskList,
  }),
}

/** Parses the output of `launchctl managername`: `Aqua` is a session with windows; `Background`, `System` and others have none. */
export function parseManagerName(answer: string): BrowserFacts['session'] {
  const name = answer.trim()
  if (name === '') return 'unknown'
  return name === 'Aqua' ? 'graphic' : 'none'
}

/**
 * Parses one row of `tasklist /fo csv`: name, process, name of the session, its number. Services run in session 0, which has no visible
 * desktop.
 */
export function parseTaskList(answer: string): BrowserFacts['session'] {
  const number = /^"[^"]*","\d+","[^"]*","(\d+)"/m.exec(answer)?.[1]
  if (number === undefined) return 'unknown'
  return number === '0' ? 'none' : 'graphic'
}
