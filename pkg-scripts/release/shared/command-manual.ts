import type { EventEmitter } from 'node:events'
import type { Command } from 'commander'
import { createStatusSection, listSupportSections } from './closing-sections.ts'
import { type ManualSection, renderManual, type Term } from './manual.ts'

/** Renders a page of the command itself, and one for each of its commands with all that is below it, by name. */
export function renderCommandManuals(program: Command, time: Date): Map<string, string> {
  const commands = program.commands.filter((command) => command.name() !== 'complete')
  const pages = commands.map((command) => [nameOf(command), renderPage(command, time)] as const)
  return new Map([[nameOf(program), renderProgramPage(program, commands, time)], ...pages])
}

function renderPage(command: Command, time: Date): string {
  const leaves = listLeaves(command)
  const sections = [
    { title: 'SYNOPSIS', example: leaves.map(renderUsage).join('\n') },
    ...leaves.flatMap((leaf) =>
      toSections(leaf, leaf === command ? '' : `${toCommandPath(leaf).slice(1).join(' ')}: `),
    ),
    ...listSupportSections(),
    { title: 'SEE ALSO', paragraphs: [`${toCommandPath(command)[0]}(1), for the exit status`] },
  ]
  return renderManual({ name: nameOf(command), summary: command.description() }, sections, time)
}

function renderProgramPage(program: Command, commands: readonly Command[], time: Date): string {
  const name = nameOf(program)
  const terms = commands.map((command) => ({ term: `${nameOf(command)}(1)`, meaning: [command.description()] }))
  const sections = [
    { title: 'SYNOPSIS', example: `${name} COMMAND [OPTIONS]` },
    { title: 'COMMANDS', terms },
    { title: 'OPTIONS', terms: createTerms(program).options },
    createStatusSection('commands'),
    ...listSupportSections(),
  ]
  return renderManual({ name, summary: toLowerFirst(program.description()) }, sections, time)
}

/** Lists the commands without subcommands. */
function listLeaves(command: Command): Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(listLeaves)
}

function createTerms(command: Command): { args: Term[]; options: Term[] } {
  const help = command.createHelp()
  return {
    args: help
      .visibleArguments(command)
      .map((one) => ({ term: `<${one.name()}>`, meaning: [help.argumentDescription(one)] })),
    options: help
      .visibleOptions(command)
      .map((one) => ({ term: help.optionTerm(one), meaning: [help.optionDescription(one)] })),
  }
}

function renderUsage(command: Command): string {
  return `${toCommandPath(command).join(' ')} ${command.usage()}`
}

function toSections(command: Command, prefix: string): ManualSection[] {
  const { args, options } = createTerms(command)
  const more = renderAfterHelp(command)
  const nameTitle = (word: string) => (prefix === '' ? word.toUpperCase() : prefix + word)
  return [
    {
      title: prefix === '' ? 'DESCRIPTION' : prefix.replace(/: $/, ''),
      paragraphs: [command.description()],
      terms: args,
    },
    { title: nameTitle('options'), terms: options },
    ...(more === '' ? [] : [{ title: nameTitle('notes'), example: more }]),
  ]
}

/** Renders the text that the help adds after its tables, without the line on exit statuses. */
function renderAfterHelp(command: Command): string {
  const said: string[] = []
  // Commander's types do not state that a command is an event emitter.
  const emitter = command as Command & EventEmitter
  emitter.emit('afterHelp', { error: false, command, write: (text: string) => said.push(text) })
  return said
    .join('')
    .replace(/^All exit statuses: .*$/gm, '')
    .trim()
}

function toCommandPath(command: Command): string[] {
  return command.parent === null ? [command.name()] : [...toCommandPath(command.parent), command.name()]
}

function nameOf(command: Command): string {
  return toCommandPath(command).join('-')
}

function toLowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
