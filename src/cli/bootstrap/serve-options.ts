import { InvalidArgumentError, Option } from 'commander'
import { type SubjectForm, subjectForms } from '../../bootstrap/serve/audit.ts'
import { type ServedForm, servedForms } from '../../bootstrap/serve/prepare-release.ts'
import {
  type AuditFlags,
  createAuditOptions,
  createPolicyOptions,
  type PolicyFlags,
} from '../gateway/verifier/flags.ts'
import { createDeviceOptions, type DeviceFlags } from './device-options.ts'
import { parseServedSecretLocation, type ServedSecretLocation } from './served-secrets.ts'

/** The options of `gatepass bootstrap serve`. */
export interface ServeFlags extends PolicyFlags, AuditFlags, DeviceFlags {
  readonly release: string
  readonly publicKey: string
  readonly path: string
  readonly form: ServedForm
  readonly expiresSec: number
  readonly secret: readonly ServedSecretLocation[]
  readonly decide?: true
  readonly state?: string
  readonly auditSubject: SubjectForm
}

/** Creates these options, in the order of the help. */
export function createServeOptions(): Option[] {
  const [policy, ...others] = createPolicyOptions({
    who: 'clients',
    port: 8794,
    adminPaths: '/healthz, /readyz and /metrics',
  })
  return [
    policy!,
    new Option(
      '--release <directory>',
      'the release to serve, which bootstrap release has written',
    ).makeOptionMandatory(),
    new Option('--public-key <file>', 'the keys that may have signed it, as PEM').makeOptionMandatory(),
    new Option('--path <path>', 'the only path that is answered').default('/bootstrap').argParser(parsePath),
    new Option('--form <form>', 'the form of the documents').default('nested').choices([...servedForms]),
    new Option('--expires-sec <number>', 'how long an answer counts, on the average')
      .default(3600)
      .argParser(parseExpiry),
    new Option(
      '--secret <place...>',
      'a secret that documents name {secret.NAME}: NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT',
    )
      .default([])
      .argParser(collectSecret),
    new Option(
      '--decide',
      'answer 204 with the name of the document in x-document, for a web server that has the files',
    ).conflicts(['form', 'expiresSec', 'secret']),
    new Option(
      '--state <file>',
      'keep there which release was served, so that an older one stays refused after a restart',
    ),
    ...createAuditOptions('each answer, and each step of a device sign-in,'),
    new Option('--audit-subject <form>', 'how the audit names a person').default('digest').choices([...subjectForms]),
    ...createDeviceOptions(),
    ...others,
  ]
}

function parsePath(text: string): string {
  if (/^(\/[\w.~-]+)+$/.test(text)) return text
  throw new InvalidArgumentError('expected a path such as /bootstrap or /user/bootstrap.')
}

/**
 * From a minute to a week: a client waits half a minute for one answer, so that a shorter expiry could be over on arrival, and a longer
 * one would leave a document in force that was taken back long ago. Our decision.
 */
function parseExpiry(text: string): number {
  const seconds = Number(text)
  if (/^\d{1,6}$/.test(text) && seconds >= 60 && seconds <= 604_800) return seconds
  throw new InvalidArgumentError('expected a number of seconds from 60 to 604800.')
}

function collectSecret(text: string, before: readonly ServedSecretLocation[]): readonly ServedSecretLocation[] {
  const location = parseServedSecretLocation(text)
  if (!location) throw new InvalidArgumentError('expected NAME=FILE, or NAME=keychain:SERVICE/ACCOUNT.')
  if (before.some(({ name }) => name === location.name))
    throw new InvalidArgumentError(`${location.name} is named twice.`)
  return [...before, location]
}
