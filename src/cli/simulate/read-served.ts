import type { DocumentServer } from '../../client/session/served-source.ts'
import { VirtualClock } from '../../client/simulation/virtual-clock.ts'
import type { ConfigDocument } from '../../config/document.ts'
import type { Cli } from '../cli.ts'
import { prepareBootstrap } from '../configuration-server.ts'
import { renderSource } from '../read-source.ts'
import { tellErrors } from '../show-findings.ts'
import { computeDayStart, moveExpiry, type SimulateFlags } from './stage.ts'

/** The first document of a simulated client. */
export interface FirstDocument {
  readonly document: ConfigDocument
  /** The real configuration server of the document. */
  readonly served?: DocumentServer
  /** The client's clock, which its sign-in at the configuration server uses. */
  readonly clock?: VirtualClock
}

/**
 * Requests the first document from a configuration server, so that a person can consent to it before the client starts. Without a document
 * the client starts anyway, as on a real day.
 */
export async function fetchFirstDocument(
  cli: Cli,
  flags: SimulateFlags & { readonly bootstrap: string; readonly device: string | undefined },
): Promise<FirstDocument> {
  const clock = new VirtualClock(computeDayStart(Date.now()))
  const { source, anchor } = await prepareBootstrap(cli, { ...flags, yes: flags.yes, now: clock.now })
  const { answer } = await source.ask('launch')
  const served = { ...source, isDeliveryTrusted: anchor.isDeliveryTrusted }
  if (answer.outcome !== 'document') return { document: {}, served, clock }
  tellErrors(cli.terminal, renderSource(flags.bootstrap), answer.result.findings)
  return { document: moveExpiry(answer.document), served, clock }
}
