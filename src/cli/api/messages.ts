import { type Command, Option } from 'commander'
import type { Cli } from '../cli.ts'
import { addConnectionOptions, type ConnectionFlags, openApi, parseCount } from './connection.ts'
import { printJson } from './print.ts'

interface MessageFlags extends ConnectionFlags {
  readonly model: string
  readonly maxTokens: number
  readonly stream?: true
  readonly json?: true
}

/** `gatepass api messages …`: a question to the model. */
export function addApiMessages(api: Command, cli: Cli): void {
  const messages = api.command('messages').description('messages to a model')
  const create = messages
    .command('create')
    .description('send one message and print the text of the answer')
    .argument('<text>', 'what to say')
    .option('--model <name>', 'the model', 'default')
    .option('--max-tokens <count>', 'how long the answer may be', parseCount, 1024)
    .option('--stream', 'print the events of the answer as they come')
    .addOption(new Option('--json', 'print the whole answer').conflicts('stream'))
  addConnectionOptions(create).action(async (content: string, flags: MessageFlags) => {
    const { messages } = await openApi(cli, flags)
    const request = { model: flags.model, max_tokens: flags.maxTokens, messages: [{ role: 'user', content }] }
    if (flags.stream) {
      const { body } = await messages.stream(request)
      return cli.terminal.printAll(body)
    }
    const answer = await messages.create(request)
    if (flags.json) printJson(cli.terminal, answer)
    else cli.terminal.print(`${(answer.content ?? []).map(({ text = '' }) => text).join('')}\n`)
  })
}
