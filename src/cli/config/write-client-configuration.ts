import { chmod } from 'node:fs/promises'
import { clients } from '../../contract/clients/clients.ts'
import { quoteForShell, quoteForWindows } from '../../contract/clients/quote-words.ts'
import { renderNotice } from '../../runtime/failure.ts'
import type { Cli } from '../cli.ts'
import { programName } from '../program-name.ts'
import type { ClientSetup } from './clients/client-setup.ts'
import { renderWrapper } from './clients/render-bazel.ts'
import { type OtherClient, renderers } from './clients/renderers.ts'
import { collectClientSetup } from './init/collect-client-setup.ts'
import type { InitFlags } from './init/flags.ts'
import { type Destination, writeAnswer } from './write-answer.ts'

/** Writes the configuration of another client than the desktop one, and says what is left to do. */
export async function writeClientConfiguration(
  cli: Cli,
  client: OtherClient,
  flags: InitFlags,
  { out, file }: Pick<Destination, 'out' | 'file'>,
): Promise<void> {
  const setup = await collectClientSetup(cli, client, flags)
  const { text, next } = renderers[client](setup)
  const readers = 'as the system creates files'
  if (setup.wrapper !== '') await writeWrapper(cli, setup, file)
  await writeAnswer(cli.terminal, text, { out, file, readers })
  const steps = [...next, `check it: ${renderCheck(client, setup)}`]
  cli.terminal.tell(steps.map((step) => renderNotice(programName, step)).join(''))
}

async function writeWrapper({ terminal }: Cli, setup: ClientSetup, file: Destination['file']): Promise<void> {
  const readers = 'as the system creates files'
  await writeAnswer(terminal, renderWrapper(setup), { out: setup.wrapper, file, readers, flag: '--wrapper' })
  await chmod(setup.wrapper, 0o755)
}

/** Bazel starts the script, with no more arguments. */
function renderCheck(client: OtherClient, { command, args, system, wrapper, baseUrl }: ClientSetup): string {
  const quote = system === 'windows' ? quoteForWindows : quoteForShell
  const { start, request } = clients[client]
  const started = start === 'path' ? [wrapper] : [command, ...args]
  const asked = request === 'none' ? [] : ['--base-url', baseUrl]
  return `gatepass check-helper --client ${client} ${quote([...asked, ...started])}`
}
