import { expect, test } from 'vitest'
import { parse, type ScalarTag } from 'yaml'
import { renderAnsibleTasks } from '../../../../src/config/render/management/ansible.ts'
import {
  renderLinuxDetection,
  renderMacosDetection,
  toManagedFile,
  toPreferences,
} from '../../../../src/config/render/management/unix-detection.ts'
import { vendor } from '../../../../src/vendor.ts'
import { createDocument } from './documents.ts'

/** A text that Ansible does not take for a template. */
class Unsafe {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const unsafeTag: ScalarTag = { tag: '!unsafe', resolve: (text) => new Unsafe(text) }

interface Block {
  readonly vars: { readonly gatepass_detection: Readonly<Record<string, Unsafe>> }
  readonly block: readonly Readonly<Record<string, unknown>>[]
}

/** What Ansible reads of the tasks for a document. */
function readTasks(result: ReturnType<typeof createDocument>) {
  const [linux, macos] = [toManagedFile(result)!, toPreferences(result)!]
  const [block] = parse(renderAnsibleTasks({ linux, macos }), { customTags: [unsafeTag] }) as [Block]
  return { linux, macos, ...block, install: block.block.find(({ name }) => name === 'Install the managed file') }
}

test('the tasks hold the managed file and both scripts as literal text', () => {
  const { linux, macos, vars, install } = readTasks(createDocument('/opt/gatepass/aws-bedrock-token'))
  expect(vars.gatepass_detection).toEqual({
    Linux: new Unsafe(renderLinuxDetection(linux)),
    Darwin: new Unsafe(renderMacosDetection(macos)),
  })
  expect(install).toEqual({
    name: 'Install the managed file',
    'ansible.builtin.copy': {
      content: new Unsafe(linux.text),
      dest: new Unsafe(vendor.linuxManagedFile),
      owner: 'root',
      group: '{{ gatepass_group }}',
      mode: '0644',
      follow: false,
    },
    when: "ansible_facts['system'] == 'Linux'",
  })
})

test('a document with a key stays out of the log, and brings no settings of a helper', () => {
  const { install, block } = readTasks(createDocument('', { credential: { kind: 'static', apiKey: 'sk-secret' } }))
  const settings = block.map(({ name }) => String(name)).filter((name) => name.includes('settings'))
  expect({ isLogged: install?.no_log !== true, settings }).toEqual({ isLogged: false, settings: [] })
})

test('a document with a helper brings the settings of the helper', () => {
  expect(readTasks(createDocument('/opt/gatepass/aws-bedrock-token')).block.map(({ name }) => name)).toEqual([
    'Compare the machine with the document',
    'Show how it differs',
    'Install the package from a file',
    'Install the package',
    'Create the directory of the machine',
    'Install the names of the client',
    'Install the settings of the helper',
    'Create the directory of the managed file',
    'Install the managed file',
    'Compare it again',
  ])
})

test('no path of a document is a template', () => {
  const { vars, block } = readTasks(createDocument("/opt/{{ lookup('pipe','id') }}"))
  const texts = block.map(({ name, ...task }) => (name === 'Install the managed file' ? '' : JSON.stringify(task)))
  expect({ helper: Object(vars).gatepass_helper, templates: texts.filter((text) => text.includes('lookup')) }).toEqual({
    helper: new Unsafe("{{ lookup('pipe','id') }}"),
    templates: [],
  })
})
