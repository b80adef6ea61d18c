import type { ConfigDocument } from '../../../config/document.ts'
import type { HelperClient } from '../../../contract/clients/client.ts'
import type { Environment } from '../../../runtime/environment.ts'
import type { RunHelper } from '../../launch/run-credential-helper.ts'
import type { EraseCredential } from '../../launch/run-for-client.ts'
import type { OpenSignIn } from '../../sign-in/client-sign-in.ts'
import type { Task } from '../scenario/plan-scenario.ts'
import type { VirtualClock } from './virtual-clock.ts'
import type { SimulatedGateway } from './world-settings.ts'

/** Everything that a simulation needs. */
export interface PlaySettings {
  readonly tasks: readonly Task[]
  /** The first document, with the scenario's values. */
  readonly document: ConfigDocument
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  /** The client's own environment. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  /** Who runs the helper, in place of the desktop client, and how it tells the helper of a refusal. */
  readonly otherClient?: HelperClient
  readonly eraseCredential?: EraseCredential
  readonly lookAheadSec?: number
  readonly tokenLifeSec?: number
  /** Runs real processes by default. */
  readonly runHelper?: RunHelper
  /** How a person signs in; without it nobody can. */
  readonly openSignIn?: OpenSignIn
}
