import type { HelperClient } from '../../contract/clients/client.ts'
import { quoteForShell } from '../../contract/clients/quote-words.ts'
import { type Launch, resolveLaunch } from './launch-command.ts'

/** What a client starts: the path and the arguments of its configuration, and the argument of its protocol. */
export interface ClientCall {
  readonly command: string
  readonly args: readonly string[]
  /** Such as `get`; absent where the client's protocol has none. */
  readonly operation?: string | undefined
}

/** How a client starts a helper: directly, or by a line that a shell reads; pure. On Windows all start it as the desktop client. */
export function resolveClientLaunch(client: HelperClient, call: ClientCall, platform: NodeJS.Platform): Launch {
  const { command, args, operation } = call
  if (client.format === 'json') return resolveLaunch({ command, args }, platform)
  if (client.start === 'path' && args.length > 0)
    return { problem: `${client.title} passes no arguments of a helper, only those of its protocol` }
  const words = operation === undefined ? args : [...args, operation]
  if (platform === 'win32') return resolveLaunch({ command, args: words }, platform)
  if (!command.startsWith('/')) return { problem: 'the command is not an absolute path' }
  if (client.start !== 'shell-line') return { command: { file: command, args: words } }
  return { command: { file: '/bin/sh', args: ['-c', quoteForShell([command, ...words])] } }
}
