import { type Command, InvalidArgumentError, Option } from 'commander'
import {
  type KeyedClient,
  type KeyedClientName,
  keyedClientNames,
  resolveKeyedClient,
} from '../client/relay/keyed-clients.ts'
import {
  createProxyExemption,
  resolveClientProgram,
  startKeyedClient,
  type TypedProgram,
} from '../client/relay/start-keyed-client.ts'
import { type Relay, startRelay } from '../client/relay/start-relay.ts'
import { unnamedSource } from '../config/document.ts'
import { HelperError, renderFailure } from '../runtime/failure.ts'
import type { Environment } from '../runtime/run-process.ts'
import { programName } from '../version.ts'
import { resolveAccess } from './api/resolve-access.ts'
import type { Cli, ProgramCommand } from './cli.ts'
import { readNetwork } from './network.ts'
import { createHelperOption, createYesOption } from './option-values.ts'
import { parseBaseUrl } from './read-source.ts'

/** `gatepass run`: starts a client that supports only a base address and a fixed key, with a helper's token behind both. */
export const runCommand: ProgramCommand = {
  add: addRun,
  examples: {
    run: [
      'gatepass run --document config.json -- opencode',
      'gatepass run --helper /opt/acme/helper \\\n  --base-url https://gateway.example.com -- gemini',
      'gatepass run --document config.json --base-url-variable ACME_URL \\\n  --key-variable ACME_KEY -- acme-client chat',
    ],
  },
}

function addRun(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('run')
    .description('start a client that knows only a base address and a key, with a helper’s token behind them')
    .argument('<program>', 'the client')
    .argument('[args...]', 'its arguments')
    .passThroughOptions()
    .addOption(
      new Option('--document <document>', 'a file or URL that says where the credential comes from').conflicts(
        'helper',
      ),
    )
    .addOption(createHelperOption())
    .option('--base-url <url>', 'the address of the gateway (default: the document’s)', parseBaseUrl)
    .addOption(createYesOption())
    .addOption(
      new Option('--client <name>', 'which variables the client reads (default: by the name of its program)').choices(
        keyedClientNames,
      ),
    )
    .option('--base-url-variable <name>', 'for another client: the variable in which it reads the address', parseName)
    .option('--key-variable <name>', 'for another client: the variable in which it reads the key', parseName)
    .option('--base-path <path>', 'what the client expects behind the address, such as /v1', parsePath)
    .option('--provider <id>', 'for opencode: the provider whose address and key are set')
    .addHelpText('after', helpText)
    .action(async (name: string, args: readonly string[], flags: RunFlags) => run(cli, { name, args }, flags))
}

interface RunFlags {
  readonly document?: string
  readonly helper?: string
  readonly baseUrl?: string
  readonly yes?: true
  readonly client?: KeyedClientName
  readonly baseUrlVariable?: string
  readonly keyVariable?: string
  readonly basePath?: string
  readonly provider?: string
}

const helpText = `
The client is started with the address of this process on this machine, and with a key that is valid for as long as it runs. Every request with this key is passed on to the gateway with the helper's token and headers; the helper is run when the client of the document would run it, and once more after a 401.

Exit status: that of the client, or 128 and the number of the signal that ended it. If it is not started, a message says so.`

function parseName(text: string): string {
  if (/^[A-Za-z_]\w*$/.test(text)) return text
  throw new InvalidArgumentError('expected the name of a variable.')
}

function parsePath(text: string): string {
  if (/^(\/[\w.~-]+)*$/.test(text)) return text
  throw new InvalidArgumentError('expected a path, such as /v1.')
}

async function run(cli: Cli, typed: TypedProgram, flags: RunFlags): Promise<void> {
  const { host } = cli
  if (flags.document === undefined && flags.helper === undefined)
    throw new HelperError('usage', unnamedSource, 'pass --document or --helper')
  const client = resolveKeyedClient(typed.name, flags)
  const command = await resolveClientProgram(typed, host)
  const clientEnd = new AbortController()
  const { signal } = clientEnd
  const told = createTellingOnce(cli, signal)
  const { credentials, baseUrl } = await resolveAccess(told, { ...flags, signal })
  // Before the client uses the terminal, so that a person can be asked and can read a failure.
  await credentials.current()
  const relay = await startRelay({
    baseUrl,
    credentials,
    network: await readNetwork(host),
    now: host.clock.now,
    onFailure: (failure) => told.terminal.tell(renderFailure(programName, failure)),
  })
  try {
    const started = await startKeyedClient(command, createEnvironment(client, relay, host.env, flags))
    using _passing = startSignalPassing(started.send, host.streams.attached())
    cli.setExitStatus(await started.ended)
  } finally {
    clientEnd.abort()
    await relay.close()
  }
}

/**
 * Prints each line only once: a message at every run or request would overwrite the client's screen repeatedly. It prints nothing after the
 * signal, when another program uses the terminal.
 */
function createTellingOnce(cli: Cli, signal: AbortSignal): Cli {
  const told = new Set<string>()
  const tell = (text: string) => {
    if (!told.has(text) && !signal.aborted) cli.terminal.tell(text)
    told.add(text)
  }
  return { ...cli, terminal: { ...cli.terminal, tell } }
}

/** Signals that a person or a supervisor sends to this process alone. */
const passedSignals = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const

/** Signals of keys, which the terminal also sends to the client. */
const keySignals = ['SIGINT', 'SIGQUIT'] as const

function createEnvironment(
  { basePath, createVariables }: KeyedClient,
  { url, key }: Relay,
  env: Environment,
  flags: RunFlags,
): Environment {
  const access = { baseUrl: `${url}${flags.basePath ?? basePath}`, key: key.reveal() }
  return { ...env, ...createProxyExemption(env), ...createVariables(access, env, flags.provider) }
}

/** Forwards signals to the client, which decides what they mean; this process ends after the client. */
function startSignalPassing(send: (signal: NodeJS.Signals) => void, attached: 'terminal' | 'pipe'): Disposable {
  const all = [...passedSignals, ...keySignals]
  const isSentAnyway = (signal: NodeJS.Signals) => attached === 'terminal' && keySignals.some((key) => key === signal)
  const forwardSignal = (signal: NodeJS.Signals) => isSentAnyway(signal) || send(signal)
  for (const signal of all) process.on(signal, forwardSignal)
  return {
    [Symbol.dispose]: () => {
      for (const signal of all) process.off(signal, forwardSignal)
    },
  }
}
