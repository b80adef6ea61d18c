import { isDeepStrictEqual } from 'node:util'
import type { ComparedChoice, FleetScenario } from '../../client/fleet/scenario/fleet-scenario.ts'
import type { ConfigDocument } from '../../config/document.ts'
import { clientDefaults } from '../../contract/limits.ts'
import { renewEarlyPercent } from '../../contract/timing/freshness.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { SimulateFlags } from './flags.ts'

/**
 * What is compared. The first choice is what helpers and clients do unless told otherwise, with what the scenario, the document and the
 * flags say, of which the later count. The second is the first with what the scenario and `--against` say of it. Where the two would be
 * the same, it is the first without early renewal, or with that of helpers if the first has none.
 * @throws {HelperError} `usage` for a document without a helper, or without silent refresh.
 */
export function resolveChoices(
  { day, choices: [first = {}, second] }: FleetScenario,
  document: ConfigDocument | undefined,
  { ttl, renewEarly, tokenLife, against }: Pick<SimulateFlags, 'ttl' | 'renewEarly' | 'tokenLife' | 'against'>,
): readonly [ComparedChoice, ComparedChoice] {
  const chosen = {
    ...{ ...clientDefaults, renewEarly: renewEarlyPercent.default, tokenLifeSec: day.tokenLifeSec },
    ...first,
    ...(document && chooseFromDocument(document)),
    ...(ttl !== undefined && { ttlSec: ttl }),
    ...(renewEarly !== undefined && { renewEarly }),
    ...(tokenLife !== undefined && { tokenLifeSec: tokenLife }),
  }
  const { ttlSec, timeoutSec, tokenLifeSec } = chosen
  const here: ComparedChoice = { ttlSec, timeoutSec, renewEarly: chosen.renewEarly, tokenLifeSec }
  const other: ComparedChoice = { ...here, ...second, ...against }
  if (!isDeepStrictEqual(here, other)) return [here, other]
  return [here, { ...here, renewEarly: here.renewEarly === 0 ? renewEarlyPercent.default : 0 }]
}

function chooseFromDocument({ inference }: ConfigDocument): Pick<ComparedChoice, 'ttlSec' | 'timeoutSec'> {
  const credential = inference?.credential
  if (credential?.kind !== 'helper-script')
    throw new HelperError(
      'usage',
      'the document names no helper for the desktops to run',
      'name another document, or none',
    )
  if (credential.silentRefreshEnabled === false)
    throw new HelperError(
      'usage',
      'the document turns off silent refresh, without which no fleet is simulated',
      'see what it costs one desktop: leave out --fleet',
    )
  const { ttlSec = clientDefaults.ttlSec, timeoutSec = clientDefaults.timeoutSec } = credential
  return { ttlSec, timeoutSec }
}
