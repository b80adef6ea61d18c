import { stringify } from 'yaml'
import { programName } from '../../../version.ts'
import type { FolderFile } from '../folder.ts'
import { exportFiles, type ManagedSystem } from '../management.ts'
import { awsDirectories } from '../plan-document.ts'

/** A playbook beside each task file of Ansible, with the variables that the tasks take and the files that they do not know. */
export function planPlaybooks(managed: readonly ManagedSystem[], files: readonly FolderFile[]): FolderFile[] {
  return managed
    .filter(({ formats }) => formats.includes('ansible'))
    .map(({ system }) => ({
      path: `${system}/playbook.yml`,
      content: renderPlaybook(files.map(({ path }) => path)),
      about: 'a playbook of Ansible with those tasks, and the files of the machine',
    }))
}

function renderPlaybook(paths: readonly string[]): string {
  const machineFile = paths.find((path) => path.startsWith('machine/'))
  const aws = paths.filter((path) => path.startsWith('aws/'))
  const root = { owner: 'root', group: '0' }
  const play = {
    hosts: 'all',
    become: true,
    vars: {
      gatepass_package: `${programName}-helpers`,
      ...(paths.includes('vendor.json') && { gatepass_vendor_file: toHere('vendor.json') }),
      ...(machineFile && {
        gatepass_settings: `{{ lookup('file', playbook_dir ~ '/../${machineFile}') | from_json }}`,
      }),
    },
    tasks: [
      ...(aws.length > 0
        ? [{ 'ansible.builtin.file': { path: awsDirectories.posix, state: 'directory', ...root, mode: '0755' } }]
        : []),
      ...aws.map((path) => ({
        'ansible.builtin.copy': {
          src: toHere(path),
          dest: path.replace('aws', awsDirectories.posix),
          ...root,
          mode: '0644',
        },
      })),
      { 'ansible.builtin.include_tasks': exportFiles.ansible },
    ],
  }
  return `# Written by ${programName} setup. gatepass_package is a name in your own repository, or the path of a .deb or .rpm.\n${stringify([play], { lineWidth: 0 })}`
}

function toHere(path: string): string {
  return `{{ playbook_dir }}/../${path}`
}
