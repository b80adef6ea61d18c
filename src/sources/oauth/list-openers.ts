// Lists the programs that open an address, and detects whether the person would see a browser here.

import { win32 } from 'node:path'
import type { Environment } from '../../runtime/run-process.ts'

/** The facts that decide whether a browser can be opened where this process runs. */
export interface BrowserFacts {
  readonly platform: NodeJS.Platform
  readonly env: Environment
  /** The content of `/proc/version` on Linux; empty elsewhere. */
  readonly kernel: string
  /** Whether the session has a screen, according to Windows or macOS; `unknown` if they do not say. */
  readonly session: 'graphic' | 'none' | 'unknown'
}

/** Detects whether the person would see a browser that is opened here, or why not. */
export function detectBrowserAccess({ platform, env, kernel, session }: BrowserFacts): BrowserAccess {
  // In a remote window of VS Code, BROWSER opens a browser on the person's own machine.
  if (env.VSCODE_IPC_HOOK_CLI && env.BROWSER) return 'here'
  if (env.SSH_CONNECTION || env.SSH_CLIENT || env.SSH_TTY) return 'remote shell'
  if (platform === 'win32' || platform === 'darwin') return session === 'none' ? 'no graphic session' : 'here'
  if (env.BROWSER || env.DISPLAY || env.WAYLAND_DISPLAY || isWsl(env, kernel)) return 'here'
  return 'no display'
}

/** The result of {@link detectBrowserAccess}. */
type BrowserAccess = 'here' | 'remote shell' | 'no graphic session' | 'no display'

/** Returns whether this is the Windows Subsystem for Linux, where Windows opens the browser. */
function isWsl(env: Environment, kernel: string): boolean {
  return Boolean(env.WSL_INTEROP) || /microsoft/i.test(kernel)
}

/** A program that opens an address. */
export interface Opener {
  readonly program: string
  readonly args: readonly string[]
}

/** Lists the programs that open an address here, in the order in which they are tried. */
export function listOpeners({ platform, env, kernel }: Omit<BrowserFacts, 'session'>, address: string): Opener[] {
  if (env.BROWSER) return parseBrowserVariable(env.BROWSER, platform, address)
  switch (platform) {
    case 'win32':
      // No shell reads this command line, so "&" and "%" in the address have no meaning.
      return [{ program: locateSystemProgram(env, 'rundll32.exe'), args: ['url.dll,FileProtocolHandler', address] }]
    case 'darwin':
      return [{ program: '/usr/bin/open', args: [address] }]
    default: {
      const programs = ['xdg-open', 'x-www-browser', 'www-browser']
      return (isWsl(env, kernel) ? ['wslview', ...programs] : programs).map((program) => ({ program, args: [address] }))
    }
  }
}

/** Locates a program of Windows itself. */
export function locateSystemProgram(env: Environment, name: string): string {
  return win32.join(env.SystemRoot ?? 'C:\\Windows', 'System32', name)
}

/**
 * Parses the commands in BROWSER, separated by colons. The address replaces `%s`, or is appended. Quotes hold words together. A path with
 * blanks is found without quotes too: the words before the options are tried as one path, then with one word less, and so on.
 */
function parseBrowserVariable(text: string, platform: NodeJS.Platform, address: string): Opener[] {
  const commands = (platform === 'win32' ? [text] : text.split(':')).map((command) => command.trim()).filter(Boolean)
  return commands.flatMap((command) => {
    const words = splitWords(command)
    const toOpener = (count: number): Opener => {
      const options = words.slice(count).map(({ text }) => text)
      const args = options.map((word) => word.replaceAll('%s', () => address))
      const program = count === 1 ? (words[0]?.text ?? '') : command.slice(0, words[count - 1]?.end)
      return { program, args: options.some((word) => word.includes('%s')) ? args : [...args, address] }
    }
    const isQuoted = /^["']/.test(command)
    const firstOption = words.findIndex(({ text }, at) => at > 0 && /^--?\w|%s|["']/.test(text))
    const most = isQuoted ? 1 : firstOption === -1 ? words.length : firstOption
    return Array.from({ length: most }, (_, at) => toOpener(most - at))
  })
}

/** Splits a command into words, without the quotes around them. `end` is the position after the word. */
function splitWords(command: string): { readonly text: string; readonly end: number }[] {
  const found = command.matchAll(/"([^"]*)"(?!\S)|'([^']*)'(?!\S)|\S+/g)
  return [...found].map((match) => ({ text: match[1] ?? match[2] ?? match[0], end: match.index + match[0].length }))
}
