import { formatFacts, outputFormats } from '../../contract/formats/output-format.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { AskedCall } from './asked-call.ts'

/**
 * Refuses an action for a format that has none, and the lack of one where the client appends it. An explanation needs none.
 * @param refuseStray Throws what is wrong with a word that is no action at all.
 * @throws {HelperError} `usage`
 */
export async function refuseWrongAction(
  { program, options: { format, explain }, action, resolved }: AskedCall,
  refuseStray: () => Promise<unknown>,
): Promise<void> {
  const { actions } = formatFacts[format]
  const hint = `see: ${program} --help`
  if (action === undefined ? !actions || explain : actions) return
  if (!actions) {
    const others = outputFormats.filter((other) => formatFacts[other].actions?.includes(action ?? ''))
    if (others.length === 0) await refuseStray()
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
