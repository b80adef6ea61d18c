import type { Command } from 'commander'
import type { Cli } from '../cli.ts'
import { readFound, type VerifySource } from './input/read-found.ts'
import { renderReport } from './report/render-report.ts'
import { toRecord, verdictStatus } from './report/to-record.ts'
import { verifyToken } from './verify-token.ts'

interface VerifyFlags {
  readonly file?: string
  readonly claim?: readonly string[]
  readonly json?: true
}

const helpText = `
The token is read from standard input, which a terminal does not show, from a file, or from what a helper prints:
gatepass verify -- /opt/gatepass/HELPER
It may be bare, behind Bearer, in quotes, or in the output of a helper in any format. It is sent nowhere, and nothing secret of it is shown.

Exit status: 0 if nothing is wrong, 1 if a check failed, 2 if there is no token, 6 if it could not be found out.`

/** `gatepass verify`: what a token is and whether it is good. */
export function addVerify(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('verify')
    .description('say what a token is, and whether it is good')
    .argument('[words...]', 'behind --: a helper to run, and its arguments')
    .passThroughOptions()
    .option('--file <path>', 'read the token, or the output of a helper, from a file')
    .option('--claim <name>', 'also show the value of this claim; may be repeated', addText)
    .option('--json', 'print one JSON document')
    .addHelpText('after', helpText)
    .action(async (words: readonly string[], flags: VerifyFlags) => verify(cli, words, flags))
}

/** One more text, for an option that may be repeated. */
function addText(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text]
}

async function verify(cli: Cli, words: readonly string[], flags: VerifyFlags): Promise<void> {
  const { host, terminal } = cli
  const source: VerifySource = { words, file: flags.file, isSeparated: host.argv.includes('--') }
  const found = await readFound(cli, source)
  const verified = verifyToken(found, { claims: flags.claim ?? [], now: host.clock.now() })
  cli.setExitStatus(verdictStatus[verified.verdict])
  const screen = host.streams.columns()
  if (flags.json) terminal.print(`${JSON.stringify(toRecord(verified), undefined, 2)}\n`)
  else terminal.print(renderReport(verified, { paint: terminal.paint, screen }))
}
