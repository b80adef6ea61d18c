import { InvalidArgumentError, Option } from 'commander'
import { hasRequest } from '../contract/client.ts'
import { clientNames, clients } from '../contract/clients.ts'
import { toKebabCase } from '../contract/identity-providers/provider-settings.ts'

/** Adds a text, for an option that may be repeated: commander would take every word after an option of several values. */
export function addText(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text]
}

/**
 * Parses a whole number.
 * @throws {InvalidArgumentError}
 */
export function parseCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('expected a whole number of at most nine digits.')
}

/** Returns the problem of a text that is not a reverse domain name; `undefined` for one that is. */
export function validateReverseDomainName(text: string): string | undefined {
  const isGood = /^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(text)
  return isGood ? undefined : 'expected letters, digits and hyphens with dots between them'
}

/** Returns the option whose value commander keeps under this name, as a person writes it: `envPrefix` as `--env-prefix`. */
export function toFlag(name: string): string {
  return `--${toKebabCase(name)}`
}

/** Creates the option of a command that writes a new file, or prints it. */
export function createOutOption(): Option {
  return new Option('--out <file>', 'where to write it; an existing file is not replaced (default: standard output)')
}

/** Creates the option of a command that listens on a port of this machine. */
export function createPortOption(usual: number): Option {
  return new Option('--port <number>', 'the port to listen on; 0 for any free one').default(usual).argParser(parsePort)
}

/** Creates the option of a command that gets its credential from a helper. */
export function createHelperOption(): Option {
  return new Option('--helper <command>', 'a credential helper to run, as a full path')
}

/** Creates the option to use a document without a question. */
export function createYesOption(): Option {
  return new Option('--yes', 'run and send what the document says without asking')
}

/** The clients that name a server when they run a helper, such as `bazel and git`, for the help of an option. */
export const serverClients = clientNames.filter((name) => hasRequest(clients[name])).join(' and ')

/** Describes the problem of a client whose helper is asked for a server, where none is named. */
export function describeMissingServer(title: string): string {
  return `--base-url is missing: ${title} asks a helper for a server`
}

/** @throws {InvalidArgumentError} for anything but a port, or 0 for any free port. */
function parsePort(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port
  throw new InvalidArgumentError('expected a number from 0 to 65535.')
}
