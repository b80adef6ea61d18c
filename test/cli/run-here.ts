import { importHelper, listHelpers } from '../../pkg-scripts/tree.ts'
import type { Cli } from '../../src/cli/cli.ts'
import { runCli } from '../../src/cli/run-cli.ts'
import type { Outcome } from '../setup/run-program.ts'
import { testHost } from '../setup/test-host.ts'

/** Creates the `gatepass` command in this process, without a terminal; what is written to it comes back. */
export async function createTestCli(argv: readonly string[], columns = 80) {
  const written = { stdout: '', stderr: '', status: 0 }
  const names = listHelpers()
  const helpers = await Promise.all(names.map(async (name) => [name, await importHelper(name)] as const))
  const cli: Cli = {
    host: await testHost({ argv, home: '/nowhere' }),
    helpers: new Map(helpers),
    terminal: {
      print: (text) => {
        written.stdout += text
      },
      printExact: (content) => {
        written.stdout += content
      },
      printAll: async (pieces) => {
        for await (const piece of pieces) written.stdout += piece
      },
      tell: (text) => {
        written.stderr += text
      },
      flush: async () => {},
      tellProgress: () => {},
      paint: (_style, text) => text,
      columns: () => columns,
      width: () => undefined,
      startConversation: () => undefined,
      readInput: async function* () {},
    },
    setExitStatus: (status) => {
      written.status = status
    },
  }
  return { cli, written }
}

/** Runs a command that needs no process of its own, on a terminal of this width. */
export async function runHere(argv: readonly string[], columns = 80): Promise<Outcome> {
  const { cli, written } = await createTestCli(argv, columns)
  await runCli(cli)
  return written
}

/** Runs the same with standard input from a pipe. */
export async function pipeHere(input: string | Uint8Array, argv: readonly string[]): Promise<Outcome> {
  const { cli, written } = await createTestCli(argv)
  const readInput = async function* () {
    yield Buffer.from(input)
  }
  await runCli({ ...cli, terminal: { ...cli.terminal, readInput } })
  return written
}
