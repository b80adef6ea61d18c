import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { machineDirectories } from '../../../src/runtime/host.ts'
import { root } from '../../tree.ts'
import type { PackagedPart } from '../part/packaged-part.ts'
import type { Entry } from './pack-tree.ts'

/** A systemd service that runs the `gatepass` command, which is a separate package. */
export interface ServicePackage extends Pick<PackagedPart, 'name' | 'summary' | 'description'> {
  readonly entries: readonly Entry[]
  /** Shell commands after the package was installed or upgraded. */
  readonly installed: string
  /** Shell commands before the package is removed completely. */
  readonly removing: string
  /** Shell commands after it was removed. */
  readonly removed: string
  /** Shell commands after its stored data was removed too. */
  readonly purged: string
}

export function listServices(): ServicePackage[] {
  return [
    createService('gatepass-verifier', 'verifier of tokens beside a gateway, as a service', [
      'Runs gatepass gateway verifier under systemd, at a socket for the members of',
      `the group gatepass-gateway. Write ${machineDirectories.linux}/policy.json, then enable`,
      'gatepass-verifier.service.',
    ]),
    createService('gatepass-configuration-server', 'server of configuration documents, as a service', [
      'Runs gatepass bootstrap serve under systemd, at a socket for the members of',
      `the group gatepass-configuration. Write ${machineDirectories.linux}/configuration-policy.json`,
      `and ${machineDirectories.linux}/release.key.pub, bring a release to /srv/gatepass/releases,`,
      'then enable gatepass-configuration-server.service.',
    ]),
  ]
}

/**
 * Returns the files in `packaging/systemd/` with this name; a service also has the lines of `service.conf` there. Nothing is enabled: a
 * service needs its policy first.
 */
function createService(name: string, summary: string, description: readonly string[]): ServicePackage {
  const [socket, service] = [`${name}.socket`, `${name}.service`]
  const unit = toEntry(`usr/lib/systemd/system/${service}`, service, 'service.conf')
  return {
    name,
    summary,
    description,
    entries: [
      toEntry(`usr/lib/systemd/system/${socket}`, socket),
      unit,
      toEntry(`usr/lib/sysusers.d/${name}.conf`, `${name}.sysusers`),
    ],
    installed: `systemd-sysusers ${name}.conf\n${renderWhileRunning(`systemctl daemon-reload\n${renderUpgrade(name)}`)}`,
    removing: renderWhileRunning(`systemctl --quiet disable --now ${socket} ${service}\n`),
    removed: renderWhileRunning('systemctl daemon-reload\n'),
    purged: renderPurge(unit.content.toString()),
  }
}

/** Joins these files, one after the other. */
function toEntry(path: string, ...files: readonly string[]): Extract<Entry, { kind: 'file' }> {
  const parts = files.map((file) => readFileSync(join(root, 'packaging', 'systemd', file)))
  return { path, kind: 'file', content: Buffer.concat(parts), mode: 0o644 }
}

/**
 * Renders the lines that restart a running service if its reload says that the new version can use its files; otherwise it goes on as it
 * is. An error in these files must not leave the package half installed. Of the journal only the output of the reload's check is printed,
 * because the service's own lines there name people, whom the log of the package manager must not contain.
 */
function renderUpgrade(name: string): string {
  return `if systemctl --quiet is-active ${name}.service; then
  began=$(date +%s)
  if systemctl reload ${name}.service; then
    systemctl restart ${name}.service || echo "${name}.service has not started again; see: journalctl --unit ${name}" >&2
  else
    check=$(systemctl show --property=ExecReload --value ${name}.service)
    check=\${check#*; pid=}
    journalctl --sync || true
    journalctl --quiet --no-pager --output cat --unit ${name} --since "@$began" "_PID=\${check%% *}" >&2 || true
    echo "${name}.service goes on as the earlier version, because this one would not start with these files and options." >&2
    echo "Correct what is said above, then run: systemctl restart ${name}" >&2
  fi
fi
`
}

/** In an image that is being made, systemd does not run (sd_booted(3)). */
function renderWhileRunning(commands: string): string {
  return `if [ -d /run/systemd/system ]; then\n${commands}fi\n`
}

/** Removes the folders that `StateDirectory` of a unit with `DynamicUser` makes, and the links to them. */
function renderPurge(unit: string): string {
  const names = [...unit.matchAll(/^StateDirectory=(\S+)$/gm)].map(([, name]) => name)
  return names
    .map((name) => `rm -rf /var/lib/private/${name}\n[ ! -L /var/lib/${name} ] || rm /var/lib/${name}\n`)
    .join('')
}
