import { formatFacts, outputFormats } from '../../contract/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import type { AskedCall } from './read-request.ts'

/**
 * Refuses an action for a format without actions, and a missing action for a format whose client appends one. `--explain` needs no action.
 * @param requireArguments Throws the error for a word that is not an action of any format.
 * @throws {HelperError} `usage`
 */
export async function refuseWrongAction(
  { program, options: { format, explain }, action }: AskedCall,
  resolved: ResolvedOptions,
  requireArguments: () => Promise<unknown>,
): Promise<void> {
  const { actions } = formatFacts[format]
  const hint = `see: ${program} --help`
  if (action === undefined ? !actions || explain : actions) return
  if (!actions) {
    const others = outputFormats.filter((other) => formatFacts[other].actions?.includes(action ?? ''))
    if (others.length === 0) await requireArguments()
    const origin = resolved.get('format')?.origin
    throw new HelperError(
      'usage',
      `"${action}" is for --format ${others.join(' or ')}, and format is ${format} (${origin})`,
      hint,
    )
  }
  throw new HelperError(
    'usage',
    `--format ${format} needs one of ${actions.join(', ')} after the options, which its client appends`,
    `try it with: ${program} --explain, or give ${program} to that client`,
  )
}
