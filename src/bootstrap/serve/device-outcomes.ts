import { Counter, type Registry } from 'prom-client'
import { type DeviceEvent, deviceOutcomes } from '../device/answer-client.ts'
import { findSubject } from '../select-document.ts'
import type { Audit } from './audit.ts'
import type { ReleaseFollower } from './release-follower.ts'

interface DeviceOutcomeParts {
  readonly registry: Registry
  readonly audit: Pick<Audit, 'recordDevice'>
  readonly follower: Pick<ReleaseFollower, 'release'>
  readonly now: () => number
}

/** Creates what counts each step of a device sign-in and writes it into the audit, where a person has the same name as in answers. */
export function createDeviceObserver({ registry, audit, follower, now }: DeviceOutcomeParts) {
  const steps = new Counter({
    name: 'gatepass_bootstrap_device_sign_ins_total',
    help: 'Steps of device sign-ins by their outcome, and why one was refused',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  })
  for (const outcome of deviceOutcomes) if (outcome !== 'refused') steps.inc({ outcome, reason: '' }, 0)
  steps.inc({ outcome: 'refused', reason: 'provider-unavailable' }, 0) // an alert counts these from the first one on
  return (event: DeviceEvent): void => {
    const { outcome, reason = '', identity } = event
    steps.inc({ outcome, reason })
    const claim = follower.release()?.open.current.manifest.subject
    const named = identity && claim !== undefined ? findSubject(claim, identity) : undefined
    audit.recordDevice({ time: now(), event, named })
  }
}
