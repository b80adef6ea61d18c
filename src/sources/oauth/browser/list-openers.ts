import { win32 } from 'node:path'
import { type BrowserFacts, isWsl } from './detect-browser.ts'

/** A program that opens an address. */
export interface Opener {
  readonly program: string
  readonly args: readonly string[]
}

/** The programs that open an address here, in the order in which they are tried. */
export function listOpeners({ platform, env, kernel }: Omit<BrowserFacts, 'session'>, address: string): Opener[] {
  if (env.BROWSER) return parseBrowserVariable(env.BROWSER, platform, address)
  switch (platform) {
    case 'win32':
      // No shell reads this command line, so that "&" and "%" in the address mean nothing.
      return [
        {
          program: win32.join(env.SystemRoot ?? 'C:\\Windows', 'System32', 'rundll32.exe'),
          args: ['url.dll,FileProtocolHandler', address],
        },
      ]
    case 'darwin':
      return [{ program: '/usr/bin/open', args: [address] }]
    default: {
      const programs = ['xdg-open', 'x-www-browser', 'www-browser']
      return (isWsl(env, kernel) ? ['wslview', ...programs] : programs).map((program) => ({ program, args: [address] }))
    }
  }
}

/**
 * The commands of BROWSER: several with colons between, `%s` for the address, else it comes last. A path with spaces is tried
 * as it stands before its words are.
 */
function parseBrowserVariable(text: string, platform: NodeJS.Platform, address: string): Opener[] {
  const commands = (platform === 'win32' ? [text] : text.split(':')).map((command) => command.trim()).filter(Boolean)
  return commands.flatMap((command) => {
    const [program = '', ...words] = command.split(/\s+/)
    const hasPlace = words.some((word) => word.includes('%s'))
    const args = words.map((word) => word.replaceAll('%s', () => address))
    const asWords = { program, args: hasPlace ? args : [...args, address] }
    return words.length > 0 ? [{ program: command, args: [address] }, asWords] : [asWords]
  })
}
