import type { Server } from 'node:http'
import { execa } from 'execa'
import { toBundlePath } from '../../../pkg-scripts/tree.ts'
import { type CountableSource, startCountableSource } from '../../cache/countable-source.ts'
import { listenDuringTest } from '../../setup/listen-during-test.ts'
import type { Outcome } from '../../setup/run-program.ts'

/** The helper that the clients of other formats are given: its tokens are numbered, and every one is asked for at a service. */
export const program = 'workload-token'

/** A helper of which every mint is seen, and the program of a client that starts it. */
interface Consumer {
  readonly source: CountableSource
  /** The helper's command, as a list of words. */
  readonly command: readonly string[]
  run(client: string, argv: readonly string[], env?: Readonly<Record<string, string>>): Promise<Outcome>
}

/** @param format The arguments of the helper beside those that lead it to its source. */
export async function startConsumer(format: readonly string[]): Promise<Consumer> {
  const source = await startCountableSource(program)
  return {
    source,
    command: [process.execPath, toBundlePath(program), ...source.argv(), '--no-headers', ...format],
    run: (client, argv, env) => runClient(client, argv, { ...source.env, ...env }),
  }
}

/** Runs a client with nothing of this environment but the PATH. */
export async function runClient(
  client: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  const whole = { PATH: process.env.PATH ?? '', ...env }
  const options = { env: whole, extendEnv: false, reject: false, stdin: 'ignore', stripFinalNewline: false } as const
  const { exitCode, signal, stdout, stderr } = await execa(client, argv, { ...options, timeout: 20_000 })
  return { status: exitCode ?? signal ?? 'not started', stdout, stderr }
}

/** Listens on loopback until the test is over; the port. */
export async function listen(server: Server): Promise<number> {
  return listenDuringTest(server)
}
