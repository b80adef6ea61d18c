import { posix } from 'node:path'
import { stringify } from 'yaml'
import { suiteName } from '../../../suite/suite-name.ts'
import { programName } from '../../../version.ts'
import type { SetupAnswers } from '../answers.ts'
import { authorityPath, type FolderFile } from '../folder.ts'
import { exportFiles, type ManagedSystem } from '../management.ts'
import { isSettings, toInstalledPath } from './place-files.ts'

/** A playbook beside each task file of Ansible, with the variables that the tasks take and the files that they do not know. */
export function planPlaybooks(
  managed: readonly ManagedSystem[],
  answers: SetupAnswers,
  files: readonly FolderFile[],
): FolderFile[] {
  return managed
    .filter(({ formats }) => formats.includes('ansible'))
    .map(({ system }) => ({
      path: `${system}/playbook.yml`,
      content: renderPlaybook(
        files.map(({ path }) => path),
        (path) => toInstalledPath(path, system, answers),
      ),
      about: 'a playbook of Ansible with those tasks, and the files of the machine',
    }))
}

function renderPlaybook(paths: readonly string[], toInstalledPath: (path: string) => string): string {
  const machineFile = paths.find(isSettings)
  // The tasks place the names of the client and the settings.
  const others = paths.filter((path) => path.startsWith('aws/') || (path === authorityPath && machineFile))
  const root = { owner: 'root', group: '0' }
  const play = {
    hosts: 'all',
    become: true,
    vars: {
      gatepass_package: suiteName,
      ...(paths.includes('vendor.json') && { gatepass_vendor_file: toHere('vendor.json') }),
      ...(machineFile && {
        gatepass_settings: `{{ lookup('file', playbook_dir ~ '/../${machineFile}') | from_json }}`,
      }),
    },
    tasks: [
      ...others.flatMap((path) => [
        {
          'ansible.builtin.file': {
            path: posix.dirname(toInstalledPath(path)),
            state: 'directory',
            ...root,
            mode: '0755',
          },
        },
        { 'ansible.builtin.copy': { src: toHere(path), dest: toInstalledPath(path), ...root, mode: '0644' } },
      ]),
      { 'ansible.builtin.include_tasks': exportFiles.ansible },
    ],
  }
  return `# Written by ${programName} setup. gatepass_package is a name in your own repository, or the path of a .deb or .rpm.\n${stringify([play], { lineWidth: 0 })}`
}

function toHere(path: string): string {
  return `{{ playbook_dir }}/../${path}`
}
