import { posix } from 'node:path'
import { type ScalarTag, stringify } from 'yaml'
import { machineDirectories } from '../../../runtime/host.ts'
import { vendor } from '../../../vendor.ts'
import { hasSecret } from '../../document-values.ts'
import { matchLine } from '../mismatches.ts'
import { type Exported, renderLinuxDetection, renderMacosDetection } from './unix-detection.ts'

/**
 * Renders a task file of Ansible for Linux and macOS. It compares the machine with the document, installs what is missing, and compares
 * again; with `--check` it only compares and reports what would change.
 */
export function renderAnsibleTasks({ linux, macos }: AnsibleParts): string {
  const { credential } = linux.document.inference ?? {}
  const helper = credential?.kind === 'helper-script' ? credential.command : undefined
  const tasks = [
    {
      name: 'Install a document of Gatepass',
      vars: {
        gatepass_group: `{{ 'wheel' if ${isDarwin} else 'root' }}`,
        // A document may come from somebody else, so its text must not become a template of Ansible.
        ...(helper && { gatepass_helper: new UnsafeText(posix.basename(helper)) }),
        gatepass_directory: `{{ '${machineDirectories.macos}' if ${isDarwin} else '${machineDirectories.linux}' }}`,
        gatepass_detection: {
          Linux: new UnsafeText(renderLinuxDetection(linux)),
          Darwin: new UnsafeText(renderMacosDetection(macos)),
        },
      },
      block: [
        ...compareFirst,
        ...installPackage,
        ...installMachineFiles,
        ...(helper ? [installSettings] : []),
        ...toInstallationTasks(linux),
        compareAgain,
      ],
    },
  ]
  return introduction + stringify(tasks, { customTags: [unsafeTag], lineWidth: 0, aliasDuplicateObjects: false })
}

/** The input of the tasks: the export for each system. */
interface AnsibleParts {
  readonly linux: Exported & { readonly text: string }
  readonly macos: Exported
}

const isDarwin = "ansible_facts['system'] == 'Darwin'"

const introduction = `# Include these tasks in a play with "become: true". Variables that may be set:
#   gatepass_package      the package with the helper: its name in a repository, or the path of a .deb or .rpm
#   gatepass_settings     what the helper's file of each machine sets, such as { client-ttl: 3600 }
#   gatepass_vendor_file  the vendor.json with the names of the client
# On macOS the helper and the preferences come from the device management; the tasks compare them.
`

const compare = { argv: ['/bin/sh', '-s'], stdin: "{{ gatepass_detection[ansible_facts['system']] }}" }

const compareFirst = [
  {
    name: 'Compare the machine with the document',
    'ansible.builtin.command': compare,
    register: 'gatepass_before',
    changed_when: false,
    failed_when: 'gatepass_before.rc > 1',
    check_mode: false,
  },
  { name: 'Show how it differs', 'ansible.builtin.debug': { var: 'gatepass_before.stdout' } },
]

const compareAgain = {
  name: 'Compare it again',
  'ansible.builtin.command': compare,
  register: 'gatepass_after',
  changed_when: false,
  failed_when: `gatepass_after.stdout != '${matchLine}'`,
  when: 'not ansible_check_mode',
}

const isLinux = "ansible_facts['system'] == 'Linux'"

const installPackage = [
  {
    name: 'Install the package from a file',
    'ansible.builtin.apt': { deb: '{{ gatepass_package }}' },
    when: [isLinux, "gatepass_package | default('') is search('\\.deb$')"],
  },
  {
    name: 'Install the package',
    'ansible.builtin.package': { name: '{{ gatepass_package }}', state: 'present' },
    when: [isLinux, "gatepass_package | default('') is search('(?<!\\.deb)$')", 'gatepass_package is defined'],
  },
]

const owner = { owner: 'root', group: '{{ gatepass_group }}' }

const installMachineFiles = [
  {
    name: 'Create the directory of the machine',
    'ansible.builtin.file': { path: '{{ gatepass_directory }}', state: 'directory', ...owner, mode: '0755' },
  },
  {
    name: 'Install the names of the client',
    'ansible.builtin.copy': {
      src: '{{ gatepass_vendor_file }}',
      dest: '{{ gatepass_directory }}/vendor.json',
      ...owner,
      mode: '0644',
    },
    when: 'gatepass_vendor_file is defined',
  },
]

const installSettings = {
  name: 'Install the settings of the helper',
  'ansible.builtin.copy': {
    content: '{{ gatepass_settings | to_nice_json }}\n',
    dest: '{{ gatepass_directory }}/{{ gatepass_helper }}.json',
    ...owner,
    mode: '0644',
  },
  when: 'gatepass_settings is defined',
}

/**
 * Renders the installation. The task contains the text itself, because Ansible would parse the result of a template as a dictionary. Keys
 * stay out of its log.
 */
function toInstallationTasks({ text, document }: AnsibleParts['linux']) {
  return [
    {
      name: 'Create the directory of the managed file',
      'ansible.builtin.file': {
        path: new UnsafeText(posix.dirname(vendor.linuxManagedFile)),
        state: 'directory',
        ...owner,
        mode: '0755',
      },
      when: isLinux,
    },
    {
      name: 'Install the managed file',
      'ansible.builtin.copy': {
        content: new UnsafeText(text),
        dest: new UnsafeText(vendor.linuxManagedFile),
        ...owner,
        mode: '0644',
        follow: false,
      },
      when: isLinux,
      ...(hasSecret(document) && { no_log: true }),
    },
  ]
}

/** A text in which Ansible must not look for templates: a header of the document may hold `{{`. */
class UnsafeText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** The YAML tag of such a text for Ansible. */
const unsafeTag: ScalarTag = {
  tag: '!unsafe',
  identify: (value) => value instanceof UnsafeText,
  resolve: (text) => new UnsafeText(text),
  stringify: ({ value }, { indent }) => {
    const { text } = value as UnsafeText // only such a value is identified
    return stringify(text, { lineWidth: 0 })
      .trimEnd()
      .replaceAll(/\n(?!\n)/g, `\n${indent}`)
  },
}
