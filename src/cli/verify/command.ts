import type { Command } from 'commander'
import type { Host } from '../../runtime/host.ts'
import type { Fetch } from '../../runtime/network/fetch/network-fetch.ts'
import { createStreamFetch } from '../../runtime/network/fetch/stream-fetch.ts'
import type { Cli } from '../cli.ts'
import { readNetwork } from '../network.ts'
import { readFound, type VerifySource } from './input/read-found.ts'
import { renderReport } from './report/render-report.ts'
import { toRecord, verdictStatus } from './report/to-record.ts'
import { readTerms, type TermFlags } from './terms/read-terms.ts'
import { verifyToken } from './verify-token.ts'

interface VerifyFlags extends TermFlags {
  readonly file?: string
  readonly claim?: readonly string[]
  readonly json?: true
}

const helpText = `
The token is read from standard input, which a terminal does not show, from a file, or from what a helper prints:
gatepass verify -- /opt/gatepass/HELPER
It may be bare, behind Bearer, in quotes, or in the output of a helper in any format. Nothing secret of it is shown. It is sent nowhere but, with --sts, to AWS; keys are fetched only for an issuer that --issuer or --policy names, and that says nothing of the token.

Exit status: 0 if nothing is wrong, 1 if a check failed, 2 if there is no token, 3 if the policy is wrong, 6 if it could not be found out.`

/** `gatepass verify`: what a token is and whether it is good. */
export function addVerify(program: Command, cli: Cli): void {
  program
    .enablePositionalOptions()
    .command('verify')
    .description('say what a token is, and whether it is good')
    .argument('[words...]', 'behind --: a helper to run, and its arguments')
    .passThroughOptions()
    .option('--file <path>', 'read the token, or the output of a helper, from a file')
    .option('--issuer <url>', 'whose token it has to be; its keys are discovered there, unless --keys is given')
    .option('--keys <file|url>', 'the keys of the issuer, as a JSON Web Key Set')
    .option('--audience <name>', 'for whom it has to be; may be repeated, and then one of them', addText)
    .option('--audience-header <name>', 'of a proof of an AWS identity: the signed header with the audience')
    .option('--policy <file>', 'whether the policy of a verifier would let it pass, and by which rule')
    .option('--sts', 'send a proof of an AWS identity to the host of AWS STS that it names')
    .option('--claim <name>', 'also show the value of this claim; may be repeated', addText)
    .option('--json', 'print one JSON document')
    .addHelpText('after', helpText)
    .action(async (words: readonly string[], flags: VerifyFlags) => verify(cli, words, flags))
}

/** One more text, for an option that may be repeated. */
function addText(text: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, text]
}

/** Longer than an issuer or AWS STS takes. */
const silenceSec = 10

/** Reads the settings of the network only where a request is made, so that nothing about them keeps a token from being read. */
function createFetch(host: Host): Fetch {
  return async (url, init) => createStreamFetch({ network: await readNetwork(host), silenceSec })(url, init)
}

async function verify(cli: Cli, words: readonly string[], flags: VerifyFlags): Promise<void> {
  const { host, terminal } = cli
  const source: VerifySource = { words, file: flags.file, isSeparated: host.argv.includes('--') }
  const terms = await readTerms(flags)
  const found = await readFound(cli, source)
  const world = { now: host.clock.now(), fetch: createFetch(host) }
  const verified = await verifyToken(found, { claims: flags.claim ?? [], terms, world })
  cli.setExitStatus(verdictStatus[verified.verdict])
  const screen = host.streams.columns()
  if (flags.json) terminal.print(`${JSON.stringify(toRecord(verified), undefined, 2)}\n`)
  else terminal.print(renderReport(verified, { paint: terminal.paint, screen }))
}
