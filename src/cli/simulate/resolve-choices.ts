import type { ComparedChoice, FleetScenario } from '../../client/fleet/scenario/fleet-scenario.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { SimulateFlags } from './flags.ts'

/** The part of the time in which a token may be served that the second choice renews early where the first renews none. */
const suggestedRenewEarly = 50

/**
 * What is compared. The first choice is that of the scenario, of the document and of the flags, of which the later count. The second
 * is the first with what the scenario and `--against` say of it, or else with the early renewal on that the first has off, or off.
 * @throws {HelperError} `usage` for a document without a helper.
 */
export function resolveChoices(
  { day, choices: [first = {}, second] }: FleetScenario,
  document: ConfigDocument | undefined,
  { ttl, renewEarly, tokenLife, against }: Pick<SimulateFlags, 'ttl' | 'renewEarly' | 'tokenLife' | 'against'>,
): readonly [ComparedChoice, ComparedChoice] {
  const chosen = {
    ...{ ...clientDefaults, renewEarly: 0, tokenLifeSec: day.tokenLifeSec },
    ...first,
    ...(document && chooseFromDocument(document)),
    ...(ttl !== undefined && { ttlSec: ttl }),
    ...(renewEarly !== undefined && { renewEarly }),
    ...(tokenLife !== undefined && { tokenLifeSec: tokenLife }),
  }
  const { ttlSec, timeoutSec, tokenLifeSec } = chosen
  const here: ComparedChoice = { ttlSec, timeoutSec, renewEarly: chosen.renewEarly, tokenLifeSec }
  const other = { renewEarly: here.renewEarly === 0 ? suggestedRenewEarly : 0 }
  return [here, { ...here, ...(second ?? (against ? {} : other)), ...against }]
}

function chooseFromDocument({ inference }: ConfigDocument): Pick<ComparedChoice, 'ttlSec' | 'timeoutSec'> {
  const credential = inference?.credential
  if (credential?.kind !== 'helper-script')
    throw new HelperError(
      'usage',
      'the document names no helper for the desktops to run',
      'name another document, or none',
    )
  const { ttlSec = clientDefaults.ttlSec, timeoutSec = clientDefaults.timeoutSec } = credential
  return { ttlSec, timeoutSec }
}
