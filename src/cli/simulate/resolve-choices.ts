import { isDeepStrictEqual } from 'node:util'
import type { ConfigDocument } from '../../config/document.ts'
import { renewEarlyPercent } from '../../contract/freshness.ts'
import { clientDefaults } from '../../contract/limits.ts'
import type { ComparedChoice, FleetScenario } from '../../fleet/scenario/choice-keys.ts'
import { HelperError } from '../../runtime/failure.ts'
import type { SimulateFlags } from './stage.ts'

/**
 * Resolves the two choices to compare. The first is the defaults of helpers and clients, then the scenario, the document and the flags,
 * each of which overrides the earlier ones. The second is the first with the changes of the scenario and `--against`. If both would be
 * equal, the second is the first without early renewal, or with the helpers' default if the first has none.
 * @throws {HelperError} `usage` for a document without a helper, or without silent refresh.
 */
export function resolveChoices(
  { day, choices: [first = {}, second] }: FleetScenario,
  document: ConfigDocument | undefined,
  { ttl, renewEarly, tokenLife, against }: Pick<SimulateFlags, 'ttl' | 'renewEarly' | 'tokenLife' | 'against'>,
): readonly [ComparedChoice, ComparedChoice] {
  const chosen = {
    ...clientDefaults,
    renewEarly: renewEarlyPercent.default,
    tokenLifeSec: day.tokenLifeSec,
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
      'remove --fleet to see what it costs one desktop',
    )
  const { ttlSec = clientDefaults.ttlSec, timeoutSec = clientDefaults.timeoutSec } = credential
  return { ttlSec, timeoutSec }
}
