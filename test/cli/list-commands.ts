import type { Command } from 'commander'

/** Lists the words that call each command. */
export function listCommands(command: Command, words: readonly string[] = []): string[][] {
  const children = command.createHelp().visibleCommands(command)
  const named = children.filter((child) => child.name() !== 'help')
  return [[...words], ...named.flatMap((child) => listCommands(child, [...words, child.name()]))]
}
