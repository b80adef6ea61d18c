import type { Command } from 'commander'
import { HelperError } from '../../../runtime/failure.ts'
import { applyPolicy } from '../../../verify/policy/apply-policy.ts'
import { readPolicyFile } from '../../../verify/policy/file/read-policy-file.ts'
import { requirePolicy } from '../../../verify/policy/file/require-policy.ts'
import type { Policy } from '../../../verify/policy/policy.ts'
import { TokenRefusal } from '../../../verify/token-refusal.ts'
import type { Identity } from '../../../verify/verdict.ts'
import type { Cli } from '../../cli.ts'
import { decodeInput } from '../../verify/input/decode-input.ts'
import { readInput } from '../../verify/input/read-input.ts'
import { findTrustProblem } from './find-trust-problem.ts'
import { parseIdentity } from './parse-identity.ts'

const helpText = `
Standard input is a JWT, the output of a helper that prints one, or claims as JSON; of an AWS identity what
\`aws sts get-caller-identity\` prints. Nothing of it is verified: no signature, no time.

Exit status: 0 if a rule lets it pass, 1 if none does, 2 if there is nothing to try.`

/** `gatepass gateway policy try`: which rule would let somebody pass, and with which headers. */
export function addPolicyTry(policy: Command, cli: Cli): void {
  policy
    .command('try')
    .description('say which rule would let the claims on standard input pass, and with which headers')
    .argument('<file>', 'the policy')
    .option('--json', 'print one JSON document')
    .addHelpText('after', helpText)
    .action(async (file: string, flags: { readonly json?: true }) => tryPolicy(cli, file, flags))
}

async function tryPolicy({ host, terminal, setExitStatus }: Cli, file: string, flags: { json?: true }): Promise<void> {
  const policy = requirePolicy(file, await readPolicyFile(file, 'anybody'))
  const { text } = decodeInput(await readInput(host, undefined))
  if (text.trim() === '')
    throw new HelperError(
      'usage',
      'standard input is empty',
      'pipe a JWT, the output of a helper, or claims as JSON in',
    )
  const outcome = attempt(parseIdentity(text), policy)
  const status = outcome.passes ? 0 : 1
  setExitStatus(status)
  if (flags.json) terminal.print(`${JSON.stringify({ status, ...outcome }, undefined, 2)}\n`)
  else terminal.print(renderOutcome(outcome))
}

/** What the rules say. */
type Outcome =
  | {
      readonly passes: true
      readonly rule: string
      readonly use: string
      readonly headers: Readonly<Record<string, string>>
    }
  /** What its caller would be told, and what the log of the verifier says. */
  | { readonly passes: false; readonly reason: string; readonly detail?: string; readonly note?: string }

function attempt(identity: Identity, policy: Policy): Outcome {
  const problem = findTrustProblem(identity, policy)
  if (problem) return { passes: false, ...problem }
  try {
    const { rule, headers } = applyPolicy(identity, policy)
    return { passes: true, rule: rule.name, use: rule.use, headers }
  } catch (thrown) {
    if (!(thrown instanceof TokenRefusal)) throw thrown
    const { reason, detail, note } = thrown
    return { passes: false, reason, ...(detail !== undefined && { detail }), ...(note !== undefined && { note }) }
  }
}

function renderOutcome(outcome: Outcome): string {
  if (!outcome.passes) return `It does not pass: ${outcome.note ?? outcome.detail} (${outcome.reason}).\n`
  const { rule, use, headers } = outcome
  const rows = Object.entries(headers).map(([name, value]) => `  ${name}: ${value}\n`)
  const often = use === 'once' ? 'once' : 'as often as it is sent'
  const what = rows.length === 0 ? 'without headers.' : 'with these headers:'
  return `The rule ${JSON.stringify(rule)} lets it pass ${often}, ${what}\n${rows.join('')}`
}
