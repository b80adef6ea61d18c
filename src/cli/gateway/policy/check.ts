import type { Command } from 'commander'
import type { severities } from '../../../config/finding.ts'
import { readPolicyFile } from '../../../verify/policy/file/read-policy-file.ts'
import type { PolicyFinding } from '../../../verify/policy/finding.ts'
import type { PolicyReading } from '../../../verify/policy/read/parse-policy.ts'
import type { Cli } from '../../cli.ts'
import { countFindings, renderFindings, toStatus, unreadableStatus } from '../../show-findings.ts'

interface CheckFlags {
  readonly here?: true
  readonly strict?: true
  readonly json?: true
}

/** `gatepass gateway policy check`: what is wrong with a policy, and how to fix it. */
export function addPolicyCheck(policy: Command, cli: Cli): void {
  policy
    .command('check')
    .description('say what is wrong with a policy, and how to fix it')
    .argument('<file>', 'the policy; files with keys that it names are read beside it')
    .option('--here', 'also check this machine: can somebody else write the files')
    .option('--strict', 'end with 1 on warnings too')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExit status: 0 without errors, 1 with errors, 2 if the file cannot be read.')
    .action(async (file: string, flags: CheckFlags) => check(cli, file, flags))
}

async function check({ terminal, setExitStatus }: Cli, file: string, flags: CheckFlags): Promise<void> {
  const reading = await readPolicyFile(file, flags.here ? 'its owner' : 'anybody')
  const status = computeStatus(reading, flags)
  setExitStatus(status)
  const { findings } = reading
  if (flags.json) terminal.print(`${JSON.stringify({ status, document: file, findings }, undefined, 2)}\n`)
  else terminal.print(`${renderFindings(findings, terminal.paint, headings)}${conclude(reading, status)}\n`)
}

function computeStatus({ findings }: PolicyReading, { strict }: CheckFlags): 0 | 1 | 2 {
  if (findings.some(isUnreadable)) return unreadableStatus
  return strict && findings.some(({ severity }) => severity === 'warning') ? 1 : toStatus(findings)
}

/** What is about the whole file keeps it from being read; a mode or an owner does not. */
function isUnreadable({ path, severity, code }: PolicyFinding): boolean {
  return path === '' && severity === 'error' && code !== 'file-mode' && code !== 'file-owner'
}

const headings: typeof severities = [
  { severity: 'error', title: 'Errors: no verifier starts with this, and one that runs keeps its earlier policy' },
  { severity: 'warning', title: 'Warnings: this works, and is seldom meant' },
  { severity: 'info', title: 'Good to know' },
]

function conclude({ policy, findings }: PolicyReading, status: 0 | 1 | 2): string {
  const count = countFindings(findings)
  if (status === unreadableStatus) return 'The policy cannot be read.'
  if (!policy) return `This policy does not work as it stands: ${count}.`
  if (status === 1) return `This policy has warnings, which --strict does not accept: ${count}.`
  const rules = `${policy.rules.length} rule${policy.rules.length === 1 ? '' : 's'}`
  return `This policy works, with ${rules}: ${count}.`
}
