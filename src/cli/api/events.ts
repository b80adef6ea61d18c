import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { addConnectionOptions, type ConnectionFlags, openApi } from './connection.ts'
import { printJson } from './print.ts'

/** `gatepass api events …`: events of a session. */
export function addApiEvents(api: Command, cli: Cli): void {
  const events = api.command('events').description('events of a session')
  const send = events
    .command('send')
    .description('send messages of the user, each as an event')
    .argument('<session>', 'the session')
    .argument('<text...>', 'what to say')
  addConnectionOptions(send).action(async (session: string, texts: readonly string[], flags: ConnectionFlags) => {
    const { events } = await openApi(cli, flags)
    const sent = texts.map((text) => ({ type: 'user.message', content: [{ type: 'text', text }] }) as const)
    printJson(cli.terminal, await events.send(session, sent))
  })
}
