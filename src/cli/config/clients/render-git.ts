import { quoteForShell } from '../../../contract/clients/quote-words.ts'
import type { RenderClient } from './client-setup.ts'

/**
 * A section of the Git configuration, for this address alone. The empty helper comes first: it drops those of other files,
 * which Git would otherwise tell to store the token.
 */
export const renderGit: RenderClient = ({ command, args, system, baseUrl }) => {
  const address = baseUrl.replace(/\/+$/, '')
  // Git for Windows has a POSIX shell of its own, which takes both kinds of slashes between quotes.
  const path = system === 'windows' ? command.replaceAll('\\', '/') : command
  const line = `!${quoteForShell([path, ...args])}`
  return {
    text: `[credential ${quoteForGit(address)}]\n\thelper =\n\thelper = ${quoteForGit(line)}\n`,
    next: [
      'append this to ~/.gitconfig, or to the file that: git config --global --show-origin --list names',
      `try it: printf 'url=${address}\\n\\n' | git credential fill, which shows the token`,
    ],
  }
}

/** In a Git configuration file a backslash escapes itself and the quote (git-config(1), "Syntax"). */
function quoteForGit(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
