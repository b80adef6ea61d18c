import { Counter, type Registry } from 'prom-client'
import { type AuditSink, renderAuditEntry, strangersPerSec } from '../../verify/sinks/audit-sinks.ts'
import type { Identity, Verdict } from '../../verify/verdict.ts'
import { type DeviceEvent, deviceOutcomes } from '../device/answer-client.ts'
import { findSubject } from '../select-document.ts'
import type { BootstrapAnswer } from './answer-identity.ts'
import { digestValue } from './prepare-release.ts'
import type { ReleaseFollower } from './release-follower.ts'

/** The ways in which a line can identify the person: by a digest, or by the subject itself. */
export const subjectForms = ['digest', 'plain'] as const
export type SubjectForm = (typeof subjectForms)[number]

/** One line for each answer. It contains no value of a document, no token, and no claim but the one that identifies the person. */
interface AuditEntry {
  /** Epoch milliseconds. */
  readonly time: number
  readonly bootstrap: 'answer'
  readonly status: number
  /** Why there is no document. */
  readonly reason?: string | undefined
  /** Further words for the caller about the reason. */
  readonly detail?: string | undefined
  readonly request?: string | undefined
  readonly issuer?: string | undefined
  /** The person, or a digest of issuer and person, which is the same on every server. */
  readonly subject?: string | undefined
  readonly groups?: readonly string[] | undefined
  readonly wave?: number | undefined
  /** Why the person got this release and not the other one. */
  readonly why?: string | undefined
  /** The id of the release that the document belongs to. */
  readonly release?: string | undefined
  readonly etag?: string | undefined
}

interface AuditedAnswer {
  readonly time: number
  readonly answer: BootstrapAnswer
  /** Absent if the request had no token to verify. */
  readonly verdict: Verdict | undefined
  readonly requestId: string
}

/** One line for each step of a device sign-in. It contains no code and no token. */
interface DeviceAuditEntry extends Pick<AuditEntry, 'time' | 'issuer' | 'subject' | 'reason'> {
  readonly bootstrap: 'device'
  readonly outcome: DeviceEvent['outcome']
  /** A text that is the same in every line about one sign-in. */
  readonly grant: string
}

interface AuditedDevice {
  readonly time: number
  readonly event: DeviceEvent
  /** The text that identifies the person, by the release's claim; absent without a person. */
  readonly named?: string | undefined
}

/** Writes one line for each answer and each step of a device sign-in. */
export interface Audit {
  record(audited: AuditedAnswer): void
  recordDevice(audited: AuditedDevice): void
  close(): Promise<void>
}

/**
 * Opens an audit of every line about a known person, and of at most {@link strangersPerSec} lines a second about strangers; further lines
 * are only counted.
 */
export function openAnswerAudit(
  sink: Pick<AuditSink, 'write' | 'close'>,
  { form, now }: { readonly form: SubjectForm; readonly now: () => number },
): Audit {
  let second = 0
  let strangers = 0
  const tellOmitted = () => {
    const omitted = strangers - strangersPerSec
    if (omitted > 0) sink.write(renderAuditEntry({ time: now(), bootstrap: 'omitted', count: omitted }))
    strangers = 0
  }
  const writeAbout = (who: 'a person' | 'a stranger', time: number, toEntry: () => AuditEntry | DeviceAuditEntry) => {
    const current = Math.floor(time / 1000)
    if (current !== second) tellOmitted()
    second = current
    if (who === 'a stranger') strangers += 1
    if (who === 'a person' || strangers <= strangersPerSec) sink.write(renderAuditEntry(toEntry()))
  }
  return {
    record(audited) {
      const who = audited.verdict?.outcome === 'accepted' ? 'a person' : 'a stranger'
      writeAbout(who, audited.time, () => toAuditEntry(audited, form))
    },
    recordDevice(audited) {
      const who = audited.event.identity ? 'a person' : 'a stranger'
      writeAbout(who, audited.time, () => toDeviceEntry(audited, form))
    },
    async close() {
      tellOmitted()
      await sink.close()
    },
  }
}

/** Renders one answer as an entry of the audit; pure. */
function toAuditEntry({ time, answer, verdict, requestId }: AuditedAnswer, form: SubjectForm): AuditEntry {
  const { status, refusal, selection, etag } = answer
  const identity = verdict?.outcome === 'accepted' ? verdict.identity : undefined
  const served = selection?.outcome === 'document' ? selection : undefined
  return {
    time,
    bootstrap: 'answer',
    status,
    reason: refusal?.reason,
    request: refusal && requestId,
    detail: identity === undefined ? refusal?.detail : undefined,
    issuer: identity?.issuer,
    subject: identity && renderSubject(identity, selection?.subject, form),
    groups: selection?.groups,
    release: selection?.release.manifest.id,
    wave: served?.wave,
    why: served?.why,
    etag,
  }
}

/** Renders one step of a device sign-in as an entry of the audit; pure. */
function toDeviceEntry({ time, event, named }: AuditedDevice, form: SubjectForm): DeviceAuditEntry {
  const { outcome, grant, reason, identity } = event
  const subject = identity && renderSubject(identity, named, form)
  return { time, bootstrap: 'device', outcome, grant, reason, issuer: identity?.issuer, subject }
}

function renderSubject(
  { issuer, subject }: Pick<Identity, 'issuer' | 'subject'>,
  named: string | undefined,
  form: SubjectForm,
): string {
  const text = named ?? subject
  return form === 'plain' ? text : digestValue([issuer, text])
}

interface DeviceOutcomeParts {
  readonly registry: Registry
  readonly audit: Pick<Audit, 'recordDevice'>
  readonly follower: Pick<ReleaseFollower, 'release'>
  readonly now: () => number
}

/**
 * Creates an observer that counts each step of a device sign-in and writes it into the audit, which identifies the person as in answers.
 */
export function createDeviceObserver({ registry, audit, follower, now }: DeviceOutcomeParts) {
  const steps = new Counter({
    name: 'gatepass_bootstrap_device_sign_ins_total',
    help: 'Steps of device sign-ins by their outcome, and why one was refused',
    labelNames: ['outcome', 'reason'],
    registers: [registry],
  })
  for (const outcome of deviceOutcomes) if (outcome !== 'refused') steps.inc({ outcome, reason: '' }, 0)
  steps.inc({ outcome: 'refused', reason: 'provider-unavailable' }, 0) // starts at 0, so that an alert counts the first one
  return (event: DeviceEvent): void => {
    const { outcome, reason = '', identity } = event
    steps.inc({ outcome, reason })
    const claim = follower.release()?.open.current.manifest.subject
    const named = identity && claim !== undefined ? findSubject(claim, identity) : undefined
    audit.recordDevice({ time: now(), event, named })
  }
}
