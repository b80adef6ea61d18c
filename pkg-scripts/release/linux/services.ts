import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../tree.ts'
import type { PackagedPart } from '../part/part.ts'
import type { Entry } from './entry.ts'

/** A service of systemd that runs the `gatepass` command, which is a package of its own. */
export interface ServicePackage extends Pick<PackagedPart, 'name' | 'summary' | 'description'> {
  readonly entries: readonly Entry[]
  /** Commands of the shell that run after the package was installed or upgraded. */
  readonly installed: string
  /** Before it is removed for good. */
  readonly removing: string
  /** After it was removed. */
  readonly removed: string
}

/** Every service that is published. */
export function listServices(): ServicePackage[] {
  return [
    createService('gatepass-verifier', 'verifier of tokens beside a gateway, as a service', [
      'Runs gatepass gateway verifier under systemd, at a socket for the members of',
      'the group gatepass-gateway. Write /etc/gatepass/policy.json, then enable',
      'gatepass-verifier.service.',
    ]),
  ]
}

/** The files in `packaging/systemd/` with this name. Nothing is enabled: a service needs its policy first. */
function createService(name: string, summary: string, description: readonly string[]): ServicePackage {
  const units = [`${name}.socket`, `${name}.service`]
  return {
    ...{ name, summary, description },
    entries: [
      ...units.map((unit) => toEntry(`usr/lib/systemd/system/${unit}`, unit)),
      toEntry(`usr/lib/sysusers.d/${name}.conf`, `${name}.sysusers`),
    ],
    installed: `systemd-sysusers ${name}.conf\n${whileRunning(`systemctl daemon-reload; systemctl try-restart ${name}.service || ${tellFailed(name)}`)}`,
    removing: whileRunning(`systemctl --quiet disable --now ${units.join(' ')}`),
    removed: whileRunning('systemctl daemon-reload'),
  }
}

/** A service that does not start again, such as with a broken policy, must not leave its package half installed. */
function tellFailed(name: string): string {
  return `echo "${name}.service has not started again; see: journalctl --unit ${name}" >&2`
}

/** In an image that is being made, systemd does not run (sd_booted(3)). */
function whileRunning(command: string): string {
  return `if [ -d /run/systemd/system ]; then ${command}; fi\n`
}

function toEntry(path: string, file: string): Entry {
  return { path, kind: 'file', content: readFileSync(join(root, 'packaging', 'systemd', file)), mode: 0o644 }
}
