import type { Command } from 'commander'
import { renderPolicySchema } from '../../../verify/policy/form/render-policy-schema.ts'
import type { Cli } from '../../cli.ts'

/** `gatepass gateway policy schema`: for editors and other validators. */
export function addPolicySchema(policy: Command, { terminal }: Cli): void {
  policy
    .command('schema')
    .description('print the JSON Schema (2020-12) of a policy')
    .action(() => terminal.print(`${JSON.stringify(renderPolicySchema(), undefined, 2)}\n`))
}
