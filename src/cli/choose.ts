import { type Command, Option } from 'commander'
import { type ClientName, clientNames, clients } from '../contract/clients.ts'
import { HelperError, outcomeStatus } from '../runtime/failure.ts'
import { renderJson } from '../runtime/values/json-value.ts'
import { programName } from '../version.ts'
import { chooseHelper, renderChoice, type Situation } from './choose-helper.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { type GatewayKind, gateways, type PeopleKind, people } from './helper-choices.ts'
import type { Conversation } from './terminal.ts'

/** `gatepass choose`: three questions, and the helper that fits, with its configuration. */
export const chooseCommand: ProgramCommand = {
  add: addChoose,
  examples: {
    choose: [
      'gatepass choose --gateway bedrock --people aws --client desktop',
      'gatepass choose --gateway jwt --people openid --client codex --json',
    ],
  },
}

function addChoose(program: Command, cli: Cli): void {
  program
    .command('choose')
    .description('find the helper that fits; on a terminal it asks for what no option says')
    .addOption(new Option('--gateway <kind>', 'what the gateway takes').choices(Object.keys(gateways)))
    .addOption(new Option('--people <kind>', 'what people have').choices(Object.keys(people)))
    .addOption(new Option('--client <name>', 'which client asks').choices(clientNames))
    .option('--json', 'the answer as JSON')
    .addHelpText(
      'after',
      `\nWhat each word stands for: docs/choosing.md\n\nExit status: ${outcomeStatus.done}; ${outcomeStatus.no} if nothing fits; ${outcomeStatus.usage} if an answer is missing and nobody can be asked.`,
    )
    .action(async (flags: ChooseFlags) => runChoose(cli, flags))
}

interface ChooseFlags {
  readonly gateway?: GatewayKind
  readonly people?: PeopleKind
  readonly client?: ClientName
  readonly json?: true
}

async function runChoose(cli: Cli, flags: ChooseFlags): Promise<void> {
  const choice = chooseHelper(await collectSituation(cli, flags), cli.helpers)
  cli.setExitStatus('reason' in choice ? outcomeStatus.no : outcomeStatus.done)
  cli.terminal.print(flags.json ? renderJson(choice) : renderChoice(choice))
}

async function collectSituation(cli: Cli, flags: ChooseFlags): Promise<Situation> {
  using conversation = hasAll(flags) ? undefined : cli.terminal.startConversation()
  const titles = Object.fromEntries(clientNames.map((name) => [name, clients[name].title]))
  const ask = (flag: string, question: string, kinds: Readonly<Record<string, string>>, given: string | undefined) =>
    askKind({ cli, conversation }, { flag, question, kinds }, given)
  // The flags' choices and the questions accept only the keys of these tables.
  const gateway = (await ask('--gateway', 'What does the gateway take?', gateways, flags.gateway)) as GatewayKind
  const kind = (await ask('--people', 'What do people have?', people, flags.people)) as PeopleKind
  const client = (await ask('--client', 'Which client asks?', titles, flags.client)) as ClientName
  return { gateway, people: kind, client }
}

function hasAll({ gateway, people: kind, client }: ChooseFlags): boolean {
  return gateway !== undefined && kind !== undefined && client !== undefined
}

/** A question with its possible answers. */
interface KindQuestion {
  readonly flag: string
  readonly question: string
  readonly kinds: Readonly<Record<string, string>>
}

/**
 * Asks for an answer that no flag gives: a number or a name, once more after a wrong one.
 * @throws {HelperError} `usage`
 */
async function askKind(
  { cli, conversation }: { readonly cli: Cli; readonly conversation: Conversation | undefined },
  { flag, question, kinds }: KindQuestion,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) return given
  const names = Object.keys(kinds)
  if (conversation) {
    const list = names.map((name, index) => `  ${index + 1}  ${name.padEnd(14)}  ${kinds[name]}\n`).join('')
    cli.terminal.tell(`${question}\n${list}`)
  }
  for (;;) {
    const answer = await conversation?.ask(`1 to ${names.length}, or the name? `)
    if (answer === undefined)
      throw new HelperError(
        'usage',
        `${flag} is missing, and nobody can be asked`,
        `pass ${flag} with one of ${names.join(', ')}; see: ${programName} choose --help`,
      )
    const name = names.includes(answer) ? answer : names[Number(answer) - 1]
    if (name !== undefined) return name
    cli.terminal.tell(`  there is no ${JSON.stringify(answer)}\n`)
  }
}
