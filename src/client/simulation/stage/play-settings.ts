import type { ConfigDocument } from '../../../config/document.ts'
import type { Environment } from '../../../runtime/environment.ts'
import type { RunHelper } from '../../launch/run-credential-helper.ts'
import type { Task } from '../scenario/plan-scenario.ts'
import type { SimulatedGateway } from './simulated-world.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface PlaySettings {
  readonly tasks: readonly Task[]
  /** What the client begins with, the scenario's own values included. */
  readonly document: ConfigDocument
  readonly clock: VirtualClock
  readonly gateway: SimulatedGateway
  /** The client's own environment. */
  readonly env: Environment
  readonly platform: NodeJS.Platform
  readonly lookAheadSec?: number
  readonly tokenLifeSec?: number
  /** Real processes, unless given. */
  readonly runHelper?: RunHelper
}
