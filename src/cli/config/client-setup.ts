// Declares the settings that renderers of client configurations get, and their shared parts.

import { quoteForShell, quoteForWindows } from '../../runtime/text/quote.ts'

/** The settings for the configuration of a client. */
export interface ClientSetup {
  /** The helper's absolute path on that system, and its arguments. */
  readonly command: string
  readonly args: readonly string[]
  readonly system: 'posix' | 'windows'
  /** The name of the provider, profile or user in the configuration. */
  readonly name: string
  /** The server that gets the credential; empty if the client has other settings for it. */
  readonly baseUrl: string
  /** How long the client waits for the helper, if this is configurable. */
  readonly timeoutSec: number
  /** The time after which the client runs the helper again, if this is configurable. */
  readonly intervalSec: number
  /** The absolute path of a script that adds the arguments, for clients that accept only a path. */
  readonly wrapper: string
}

/** Writes the configuration of one client; pure. */
export type RenderClient = (setup: ClientSetup) => ClientConfiguration

export function quoteCommand({ command, args, system }: StartedCommand): string {
  return (system === 'windows' ? quoteForWindows : quoteForShell)([command, ...args])
}

/** Quotes a command for a POSIX shell, also on Windows, where its path gets slashes. */
export function quotePosixCommand({ command, args, system }: StartedCommand): string {
  return quoteForShell([system === 'windows' ? command.replaceAll('\\', '/') : command, ...args])
}

type StartedCommand = Pick<ClientSetup, 'command' | 'args' | 'system'>

/** Renders a script for a client that passes no options: it adds them, and forwards an argument of the client's protocol. */
export function renderWrapper(setup: ClientSetup): string {
  const line = quoteCommand(setup)
  return setup.system === 'windows' ? `@${line} %*\r\n` : `#!/bin/sh\nexec ${line} "$@"\n`
}

/** A configuration, and the remaining steps. */
interface ClientConfiguration {
  readonly text: string
  /** Sentences in the imperative, without a full stop. */
  readonly next: readonly string[]
}
