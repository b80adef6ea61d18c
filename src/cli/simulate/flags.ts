import type { LoadFormat } from '../../client/fleet/load/load-formats.ts'
import type { ComparedChoice } from '../../client/fleet/scenario/fleet-scenario.ts'
import type { ClientName } from '../../contract/clients/client.ts'

/** What may be said on the command line of `gatepass simulate`. */
export interface SimulateFlags {
  readonly scenario?: string
  readonly client: ClientName
  readonly command?: string
  readonly arg?: readonly string[]
  readonly baseUrl?: string
  readonly gateway?: string
  readonly lookAhead?: number
  readonly tokenLife?: number
  readonly html?: string
  readonly all?: true
  readonly json?: true
  readonly yes?: true
  readonly list?: true
  /** How many desktops; everything below is for them. */
  readonly fleet?: number
  readonly ttl?: number
  readonly renewEarly?: number
  readonly against?: Partial<ComparedChoice>
  readonly seed?: number
  readonly export?: LoadFormat
}
